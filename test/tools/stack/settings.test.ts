import { once } from 'node:events';
import net from 'node:net';
import { freePorts, requireFreePorts } from '../../../tools/process/ports.ts';
import { readPorts } from '../../../tools/stack/settings.ts';

describe('the ports of the stack', () => {
  it('have defaults, which their variables change', () => {
    const ports = readPorts({ CARAT_API_PORT: '4000', CARAT_BETA_PORT: ' 9546 ' });
    expect(ports.api).toEqual({ service: 'the api', variable: 'CARAT_API_PORT', port: 4000 });
    expect([ports.alpha.port, ports.beta.port, ports.temporal.port]).toEqual([8545, 9546, 7233]);
  });

  it('that are invalid or equal are named by their variables', () => {
    expect(() => readPorts({ CARAT_API_PORT: 'web', CARAT_POSTGRES_PORT: '70000' })).toThrow(
      'CARAT_API_PORT must be a port, 1 to 65535; CARAT_POSTGRES_PORT must be a port, 1 to 65535',
    );
    expect(() => readPorts({ CARAT_BETA_PORT: '8545' })).toThrow('CARAT_BETA_PORT and CARAT_ALPHA_PORT are the same');
  });

  it('that are taken are all named at once, each with its variable', async () => {
    const ports = await freePorts(3);
    const wanted = ['ONE', 'TWO', 'THREE'].map((name, index) => {
      return { port: ports[index]!, service: `service ${name}`, variable: `CARAT_${name}_PORT` };
    });
    const servers = ports.slice(0, 2).map((port) => net.createServer().listen(port, '127.0.0.1'));
    await Promise.all(servers.map((server) => once(server, 'listening')));
    const refusal = requireFreePorts(wanted);
    for (const { port, service, variable } of wanted.slice(0, 2)) {
      await expect(refusal).rejects.toThrow(
        `port ${port} of ${service} is taken by another program; set ${variable} to a free port`,
      );
    }
    await expect(refusal).rejects.not.toThrow('THREE');
    for (const server of servers) server.close();
    await Promise.all(servers.map((server) => once(server, 'close')));
    await expect(requireFreePorts(wanted)).resolves.toBeUndefined();
  });

  it('that are free are all different', async () => {
    const ports = await freePorts(50);
    expect(new Set(ports).size).toBe(50);
  });
});
