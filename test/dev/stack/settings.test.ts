import net from 'node:net';
import { freePorts, requireFreePort } from '../../../dev/process/ports.ts';
import { readPorts } from '../../../dev/stack/settings.ts';

describe('the ports of the stack', () => {
  it('have defaults and are moved by their variables', () => {
    const ports = readPorts({ CARAT_API_PORT: '4000', CARAT_BETA_PORT: ' 9546 ' });
    expect(ports.api).toEqual({ service: 'the api', variable: 'CARAT_API_PORT', port: 4000 });
    expect([ports.alpha.port, ports.beta.port, ports.temporal.port]).toEqual([8545, 9546, 7233]);
  });

  it('that are no ports, or the same one, are named by their variables', () => {
    expect(() => readPorts({ CARAT_API_PORT: 'web', CARAT_POSTGRES_PORT: '70000' })).toThrow(
      'CARAT_API_PORT must be a port, 1 to 65535; CARAT_POSTGRES_PORT must be a port, 1 to 65535',
    );
    expect(() => readPorts({ CARAT_BETA_PORT: '8545' })).toThrow('CARAT_BETA_PORT and CARAT_ALPHA_PORT are the same');
  });

  it('that are taken are an error that names the variable to set', async () => {
    const [port = 0] = await freePorts(1);
    const server = net.createServer();
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', () => resolve()));
    await expect(requireFreePort(port, 'Temporal', 'CARAT_TEMPORAL_PORT')).rejects.toThrow(
      `port ${port} of Temporal is taken by another program; set CARAT_TEMPORAL_PORT to a free port`,
    );
    await new Promise((resolve) => server.close(resolve));
    await expect(requireFreePort(port, 'Temporal', 'CARAT_TEMPORAL_PORT')).resolves.toBeUndefined();
  });

  it('that are looked for are all different', async () => {
    const ports = await freePorts(50);
    expect(new Set(ports).size).toBe(50);
  });
});
