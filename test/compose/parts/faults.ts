import { dealModes } from '../../../domain/payment.ts';
import { eventually, type Bench } from '../bench.ts';
import type { Daemon } from '../docker.ts';
import type { ComposeShop } from '../shop.ts';

/** Kills the process of a container from inside, as a crash does; Docker starts the container again. */
const crash = async ({ sh }: Bench, service: string): Promise<void> => {
  // Docker's init is process 1, which a container cannot kill.
  await sh(`docker compose exec -T ${service} sh -c 'kill -9 -1' || true`);
};

const restartsOf = async ({ sh }: Bench, service: string): Promise<number> =>
  Number(await sh(`docker inspect --format '{{.RestartCount}}' $(docker compose ps -q ${service})`));

/** Waits until all services of the composition that have a health check are healthy. */
export const allHealthy = async ({ sh }: Bench): Promise<void> => {
  await eventually('every container is healthy', async () => {
    const out = await sh(`docker compose ps --format '{{.Service}} {{.Health}}'`);
    const unhealthy = out.split('\n').filter((line) => line !== '' && !line.endsWith(' healthy'));
    if (unhealthy.length > 0) throw new Error(unhealthy.join(', '));
    return true;
  });
};

/** Kills api and worker while payments of both deal modes are open and one is paid. */
export const killProcesses = async (bench: Bench, shop: ComposeShop): Promise<void> => {
  const open = await Promise.all(dealModes.map((mode) => shop.offer(mode)));
  const before = await Promise.all(['api', 'worker'].map((service) => restartsOf(bench, service)));
  await shop.buy(open[0]!);
  await Promise.all([crash(bench, 'worker'), crash(bench, 'api')]);
  await eventually('Docker starts api and worker again', async () => {
    const now = await Promise.all(['api', 'worker'].map((service) => restartsOf(bench, service)));
    return now.every((count, index) => count > before[index]!) || undefined;
  });
  await shop.buy(open[1]!);
  for (const id of open) await shop.completed(id);
  await allHealthy(bench);
};

/** Restarts the Docker daemon while payments of both deal modes are open. */
export const restartDaemon = async (bench: Bench, daemon: Daemon, shop: ComposeShop): Promise<void> => {
  if (daemon.restart === null) {
    bench.report('the daemon belongs to this machine: it is not restarted');
    return;
  }
  const open = await Promise.all(dealModes.map((mode) => shop.offer(mode)));
  await shop.buy(open[0]!);
  await daemon.restart();
  await allHealthy(bench);
  await shop.buy(open[1]!);
  for (const id of open) await shop.completed(id);
};
