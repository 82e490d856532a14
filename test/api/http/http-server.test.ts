import type { Knex } from 'knex';
import { loadSpecification } from '../../../api/request/specification.ts';
import { createServiceHandlers } from '../../../api/service/health.ts';
import http from 'node:http';
import express from 'express';
import { expressMessages, listen } from '../../../api/http/http-server.ts';

it('requests and responses come with the prototypes that Express gives them, and are Node’s own', async () => {
  const app = express();
  const seen: boolean[] = [];
  app.use((request, response) => {
    seen.push(request instanceof http.IncomingMessage, response instanceof http.ServerResponse);
    response.status(201).json({ path: request.path, host: request.hostname, has: request.get('x-thing') });
  });
  const server = await listen(
    {
      messages: expressMessages(app),
      listener: (request, response) => {
        seen.push(Object.getPrototypeOf(request) === app.request, Object.getPrototypeOf(response) === app.response);
        void app(request, response);
      },
    },
    '127.0.0.1',
    0,
  );
  try {
    const answer = await fetch(`http://127.0.0.1:${server.port}/a/b?c`, { headers: { 'x-thing': 'here' } });
    expect([answer.status, await answer.json()]).toEqual([201, { path: '/a/b', host: '127.0.0.1', has: 'here' }]);
    expect(seen).toEqual([true, true, true, true]);
  } finally {
    await server.stop(0);
  }
});

it('a static answer is made and compressed once, however often it is requested', async () => {
  const { getDocs, getDocsScript, getSpecification } = createServiceHandlers({
    knex: {} as Knex,
    specification: loadSpecification(new URL('../../../openapi.yaml', import.meta.url)),
    publicUrl: 'https://pay.test',
    isTemporalReachable: () => Promise.resolve(false),
  });
  const request = {} as never;
  for (const answer of [getDocs, getDocsScript, getSpecification]) {
    const [first, second] = [await answer(request), await answer(request)];
    expect('forms' in first && first.forms.map(({ encoding }) => encoding)).toEqual(['br', 'gzip', 'identity']);
    expect(second).toBe(first);
  }
});
