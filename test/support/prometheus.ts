import fs from 'node:fs';
import path from 'node:path';
import { dump, load } from 'js-yaml';
import { root } from '../../tools/paths.ts';
import { freePorts } from '../../tools/process/ports.ts';
import { recordProcess } from '../../tools/process/records.ts';
import { startPrometheus } from './prometheus-program.ts';
import { recordsOf, testStack } from './stack.ts';

/** The folder of rules, dashboards and the configuration of Prometheus. */
export const monitoringFolder = path.join(root, 'install/monitoring');

/** A rule of install/monitoring/rules.yml. */
export interface Rule {
  readonly alert: string;
  readonly expr: string;
}

/** All rules of install/monitoring/rules.yml, in their order. */
export const alertRules = (): Rule[] =>
  (
    load(fs.readFileSync(path.join(monitoringFolder, 'rules.yml'), 'utf8')) as { groups: { rules: Rule[] }[] }
  ).groups.flatMap((group) => group.rules);

/** A Prometheus with the rules of install/monitoring/. */
export interface TestPrometheus {
  /** Answers a route of its API, such as `rules`. @throws Error with the words of Prometheus */
  ask(route: string, query?: Readonly<Record<string, string>>): Promise<unknown>;
  /** The series of an expression now. */
  query(expr: string): Promise<readonly unknown[]>;
  /** Names of the rules that fire now, each once. */
  firing(): Promise<string[]>;
  stop(): Promise<void>;
}

/** How the configuration of install/monitoring/ is changed for a test. */
export interface TestPrometheusOptions {
  /** Metrics ports of each job, `carat-api` and `carat-worker`. */
  readonly ports: Readonly<Record<string, readonly number[]>>;
  /** Of scrapes and evaluations, such as `1s`; by default the intervals of install/monitoring/prometheus.yml. */
  readonly interval?: string;
}

const configOf = ({ ports, interval }: TestPrometheusOptions): string => {
  const config = load(fs.readFileSync(path.join(monitoringFolder, 'prometheus.yml'), 'utf8')) as {
    global: Record<string, string>;
    scrape_configs: { job_name: string }[];
  };
  return dump({
    ...config,
    global:
      interval === undefined
        ? config.global
        : { scrape_interval: interval, scrape_timeout: interval, evaluation_interval: interval },
    rule_files: [path.join(monitoringFolder, 'rules.yml')],
    // Prometheus finds the processes by their ports, and not by the names of containers.
    scrape_configs: config.scrape_configs.map(({ job_name }) => ({
      job_name,
      static_configs: [{ targets: ports[job_name]!.map((port) => `127.0.0.1:${port}`) }],
    })),
  });
};

/** Starts a real Prometheus with the configuration and the rules of install/monitoring/. */
export const startTestPrometheus = async (options: TestPrometheusOptions): Promise<TestPrometheus> => {
  const dir = fs.mkdtempSync(path.join(testStack().dir, 'prometheus-'));
  const [port = 0] = await freePorts(1);
  const config = path.join(dir, 'prometheus.yml');
  fs.writeFileSync(config, configOf(options));
  const running = await startPrometheus({
    config,
    port,
    folder: path.join(dir, 'data'),
    logFile: path.join(dir, 'prometheus.log'),
    onSpawn: (pid) => recordProcess(recordsOf(testStack().dir, process.pid), 'Prometheus', pid),
  });
  const ask: TestPrometheus['ask'] = async (route, query = {}) => {
    const answer = await fetch(`${running.url}/api/v1/${route}?${new URLSearchParams(query).toString()}`);
    const { status, data, error } = (await answer.json()) as { status: string; data: unknown; error?: string };
    if (status !== 'success') throw new Error(error);
    return data;
  };
  return {
    ask,
    query: async (expr) => ((await ask('query', { query: expr })) as { result: unknown[] }).result,
    firing: async () => {
      const { alerts } = (await ask('alerts')) as { alerts: { labels: { alertname: string }; state: string }[] };
      return [...new Set(alerts.filter(({ state }) => state === 'firing').map(({ labels }) => labels.alertname))];
    },
    stop: running.stop,
  };
};
