import type { Bench } from '../bench.ts';

const failed = (what: string): never => {
  throw new Error(what);
};

/** Whether a container reaches a port of another one. */
const reaches = ({ sh }: Bench, from: string, host: string, port: number): Promise<boolean> =>
  sh(`docker compose exec -T ${from} timeout 3 bash -c 'exec 3<>/dev/tcp/${host}/${port}'`).then(
    () => true,
    () => false,
  );

/** Addresses of a service in all of its networks. */
const addressesOf = async ({ sh }: Bench, service: string): Promise<string[]> => {
  const format = '{{range .NetworkSettings.Networks}}{{.IPAddress}} {{end}}';
  return (await sh(`docker inspect --format '${format}' $(docker compose ps -q ${service})`)).trim().split(/\s+/);
};

/** Checks on the running containers that the lines of docker-compose.yml about rights and networks have their effect. */
export const checkHardening = async (bench: Bench): Promise<void> => {
  const { sh } = bench;
  for (const service of ['api', 'worker']) {
    const status = await sh(`docker compose exec -T ${service} cat /proc/self/status`);
    if (!/^CapEff:\s0+$/m.test(status) || !/^NoNewPrivs:\s1$/m.test(status))
      failed(`${service} has rights:\n${status}`);
    await sh(`! docker compose exec -T ${service} sh -c 'echo > /app/written'`);
  }
  const allowed: [string, string, number][] = [
    ['api', 'postgres', 5432],
    ['api', 'temporal', 7233],
    ['worker', 'postgres', 5432],
    ['worker', 'temporal', 7233],
    ['worker', 'chain', 8545],
  ];
  for (const [from, host, port] of allowed) {
    if (!(await reaches(bench, from, host, port))) failed(`${from} does not reach ${host}:${port}`);
  }
  const forbidden: [string, string, number][] = [
    ['api', 'worker', 9464],
    ['worker', 'api', 3000],
    ['api', 'chain', 8545],
    ['api', 'temporal-postgres', 5432],
    ['worker', 'temporal-postgres', 5432],
  ];
  const tries = forbidden.map(async ([from, to, port]) => {
    for (const address of await addressesOf(bench, to)) {
      if (await reaches(bench, from, address, port)) failed(`${from} reaches ${to} at ${address}:${port}`);
    }
  });
  await Promise.all(tries);
};
