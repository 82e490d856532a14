import https from 'node:https';
import fs from 'node:fs';
import path from 'node:path';
import { eventually, type Bench } from '../bench.ts';
import type { Source } from '../images.ts';
import type { ComposeShop } from '../shop.ts';
import { allHealthy } from './faults.ts';

const up = (profile: string, services = ''): string =>
  `docker compose --profile devchain --profile ${profile} up -d --no-build --wait --wait-timeout 120 ${services}`;

/** Two apis and two workers: payments complete through the second api, and after the first worker is gone. */
export const runTwo = async (bench: Bench, shop: ComposeShop): Promise<void> => {
  const { sh } = bench;
  await sh(up('two'));
  const second = shop.at('http://127.0.0.1:3002');
  await second.sellAll();
  await sh('docker compose --profile two stop worker api');
  await second.sellAll();
  second.close();
  await sh(up('two'));
  await allHealthy(bench);
};

/** The composition without its Temporal is whole. */
export const checkOwnTemporal = async ({ sh }: Bench): Promise<void> => {
  const files = 'COMPOSE_FILE=docker-compose.yml:install/composition/own-temporal.yml';
  const services = (await sh(`${files} docker compose --profile '*' config --services`)).trim().split('\n');
  const left = services.filter((name) => name.startsWith('temporal'));
  if (left.length > 0 || !services.includes('worker-2')) throw new Error(`it has the services ${services.join(', ')}`);
};

const status = (url: string): Promise<number> =>
  new Promise((resolve, reject) => {
    // Caddy signs the certificate of localhost itself.
    https
      .get(url, { rejectUnauthorized: false }, (answer) => {
        answer.resume();
        resolve(answer.statusCode ?? 0);
      })
      .on('error', reject);
  });

/** TLS by Caddy, for the name localhost. */
export const runCaddy = async (bench: Bench): Promise<void> => {
  const { sh, folder } = bench;
  fs.appendFileSync(path.join(folder, '.env'), 'CARAT_DOMAIN=localhost\n');
  await sh(up('caddy', 'caddy'));
  await eventually(
    'the api answers over TLS',
    async () => (await status('https://localhost/readyz')) === 200 || undefined,
  );
};

interface Targets {
  readonly data: { readonly activeTargets: readonly { labels: { job: string }; health: string }[] };
}

/** Prometheus scrapes api and worker; Grafana runs where its image can be had. */
export const runMonitoring = async (bench: Bench, source: Source): Promise<void> => {
  const { sh } = bench;
  await sh(up('monitoring', source === 'registry' ? 'prometheus grafana' : 'prometheus'));
  await eventually('Prometheus scrapes every api and worker', async () => {
    const answer = await fetch('http://127.0.0.1:9090/api/v1/targets');
    const { activeTargets } = ((await answer.json()) as Targets).data;
    const well = activeTargets.filter(({ health }) => health === 'up').map(({ labels }) => labels.job);
    return ['api', 'worker'].every((job) => well.filter((one) => one.includes(job)).length === 2) || undefined;
  });
};
