import http from 'node:http';
import type { WidgetPaymentState } from '../../../api/generated/openapi-types.ts';
import { eventually } from '../../support/eventually.ts';

/** A page that follows a payment. */
export interface OpenPage {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  /** The states so far. */
  readonly states: readonly WidgetPaymentState[];
  /** Everything so far, with heartbeats; the problem of a refusal. */
  text(): string;
  /** Waits for a state whose fields have these values, and returns it. */
  until(fields: Partial<Record<keyof WidgetPaymentState, unknown>>): Promise<WidgetPaymentState>;
  readonly isOver: () => boolean;
  /** True when the stream was ended by its server, not cut. */
  readonly isWhole: () => boolean;
  /** Stops reading. */
  pause(): void;
  resume(): void;
  close(): void;
}

const pages = new Set<http.ClientRequest>();
afterAll(() => pages.forEach((request) => request.destroy()));

/** The states in a text of events. */
export const statesIn = (text: string): WidgetPaymentState[] =>
  [...text.matchAll(/^event: state\ndata: (.*)\n\n/gm)].map(([, json = '']) => JSON.parse(json) as WidgetPaymentState);

/** Opens a stream of events, as `fetch` of a browser would. */
export const openPage = (
  url: string,
  { id, access_token: token }: { readonly id: string; readonly access_token: string },
  { headers = {}, method = 'GET' }: { readonly headers?: Record<string, string>; readonly method?: string } = {},
): Promise<OpenPage> =>
  new Promise((resolve, reject) => {
    const authorization = `Bearer ${token}`;
    const request = http.request(`${url}/api/v1/widget/payments/${id}/events`, {
      method,
      agent: false,
      headers: { accept: 'text/event-stream', authorization, ...headers },
    });
    pages.add(request);
    request.once('error', reject);
    request.once('response', (response) => {
      let text = '';
      /** Characters up to the last whole event. */
      let read = 0;
      let over = false;
      const states: WidgetPaymentState[] = [];
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
        const end = text.lastIndexOf('\n\n');
        if (end < read) return;
        states.push(...statesIn(text.slice(read, end + 2)));
        read = end + 2;
      });
      response.on('error', () => {});
      request.on('error', () => {});
      response.once('close', () => (over = true));
      const matches = (state: WidgetPaymentState, fields: object): boolean =>
        Object.entries(fields).every(
          ([name, value]) => JSON.stringify(state[name as keyof WidgetPaymentState]) === JSON.stringify(value),
        );
      resolve({
        status: response.statusCode!,
        headers: response.headers,
        states,
        text: () => text,
        until: async (fields) => {
          await eventually(() => states.some((state) => matches(state, fields)));
          return states.find((state) => matches(state, fields))!;
        },
        isOver: () => over,
        isWhole: () => response.complete,
        pause: () => void response.pause(),
        resume: () => void response.resume(),
        close: () => void request.destroy(),
      });
    });
    request.end();
  });
