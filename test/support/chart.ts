import fs from 'node:fs';
import path from 'node:path';
import { dump, load, loadAll } from 'js-yaml';
import { renderChart } from './helm/helm.ts';
import { root } from '../../tools/paths.ts';

/** Labels, or a selector. */
type Labels = Readonly<Record<string, string>>;

interface SecretKey {
  readonly name: string;
  readonly key: string;
}

/** A question of Kubernetes to a container: has it started, is it ready, is it alive? */
export interface HealthCheck {
  readonly httpGet: { readonly path: string; readonly port: string };
}

export const healthChecks = ['startup', 'readiness', 'liveness'] as const;
type HealthChecks = { readonly [Kind in (typeof healthChecks)[number] as `${Kind}Probe`]?: HealthCheck };

/** A container of a pod, as far as tests look. */
export interface Container extends HealthChecks {
  readonly name: string;
  readonly image: string;
  readonly args: string[];
  readonly env: { name: string; value?: string; valueFrom?: { secretKeyRef: SecretKey } }[];
  readonly ports?: { name: string; containerPort: number }[];
  readonly securityContext: object;
  readonly resources: { limits: { memory: string } };
  readonly volumeMounts: { name: string; mountPath: string; readOnly?: boolean }[];
}

export interface PodSpec {
  readonly containers: [Container];
  readonly volumes: { name: string; secret?: { secretName: string }; configMap?: { name: string } }[];
  readonly securityContext: object;
}

/** An object of Kubernetes, as far as tests look. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { name: string; labels: Labels; annotations?: Labels };
  readonly spec: {
    readonly replicas?: number;
    readonly template?: { metadata: { labels: Labels }; spec: PodSpec };
    readonly selector?: Labels & { matchLabels?: Labels };
    readonly podSelector?: { matchLabels: Labels };
    readonly ingress?: { ports: { port: string }[]; from?: object[] }[];
    readonly egress?: { ports?: { port: number; protocol: string }[]; to?: object[] }[];
  };
}

export const chartFolder = path.join(root, 'install/charts/carat');

/** The values of a file in the chart's folder `ci`, without `-values.yaml`. */
export const valuesOf = (name: string): Record<string, unknown> =>
  load(fs.readFileSync(path.join(chartFolder, 'ci', `${name}-values.yaml`), 'utf8')) as Record<string, unknown>;

/** Lints the chart with these values, and renders it as the release `carat`. */
export const renderWith = async (values: object): Promise<{ problems: readonly string[]; objects: Manifest[] }> => {
  const { problems, manifests } = await renderChart({
    chart: chartFolder,
    release: 'carat',
    namespace: 'payments',
    values: dump(values),
  });
  const texts = Object.entries(manifests).filter(([file]) => file.endsWith('.yaml'));
  const objects = texts.flatMap(([, text]) => loadAll(text) as (Manifest | null | undefined)[]);
  return { problems, objects: objects.filter((object) => object !== null && object !== undefined) };
};

/** The pod of an object of this name. */
export const podOf = (objects: readonly Manifest[], name: string): PodSpec => {
  const object = objects.find((candidate) => candidate.metadata.name === name && candidate.spec.template);
  if (object === undefined) throw new Error(`the chart has no pods ${name}`);
  return object.spec.template!.spec;
};

/** A health check of a container. */
export const healthCheckOf = (container: Container, kind: (typeof healthChecks)[number]): HealthCheck => {
  const check = container[`${kind}Probe`];
  if (check === undefined) throw new Error(`${container.name} has no check of its ${kind}`);
  return check;
};

/** The secret variables of a container. */
export const secretsOf = ({ env }: Container): string[] =>
  env.filter(({ valueFrom }) => valueFrom !== undefined).map(({ name }) => name);
