import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { Ajv2020 as Ajv } from 'ajv/dist/2020.js';
import { cached } from '../../../tools/process/cache.mjs';
import { downloadWheels } from '../../../tools/process/wheels.ts';

const run = promisify(execFile);
const here = import.meta.dirname;

/** Folder of the unpacked packages, which pip downloads once per user. */
const packages = (): Promise<string> => {
  const digest = createHash('sha256');
  for (const file of ['requirements.txt', 'unpack.py']) digest.update(fs.readFileSync(path.join(here, file)));
  return cached(
    `helm-${digest.digest('hex').slice(0, 16)}`,
    () => {},
    async (target) => {
      const wheels = fs.mkdtempSync(path.join(os.tmpdir(), 'carat-helm-'));
      try {
        await downloadWheels(path.join(here, 'requirements.txt'), wheels);
        await run('python3', [path.join(here, 'unpack.py'), wheels, target]);
      } finally {
        fs.rmSync(wheels, { recursive: true, force: true });
      }
    },
  );
};

/** The chart to render, and its options. */
export interface ChartOptions {
  /** Folder of the chart. */
  readonly chart: string;
  readonly release: string;
  readonly namespace: string;
  /** Text of a values file. */
  readonly values: string;
}

/** A chart with values filled in. */
export interface RenderedChart {
  /** Of `helm lint --strict` and of values.schema.json. */
  readonly problems: readonly string[];
  /** Text by file, such as `carat/templates/api.yaml`; none if there are problems. */
  readonly manifests: Readonly<Record<string, string>>;
}

/**
 * Lints and renders a chart with Helm's own library.
 * @throws Error when the packages cannot be downloaded, or a template fails
 */
export const renderChart = async (options: ChartOptions): Promise<RenderedChart> => {
  const env = { ...process.env, PYTHONPATH: await packages(), PYTHONDONTWRITEBYTECODE: '1' };
  const running = run('python3', [path.join(here, 'chart.py')], { env, maxBuffer: 16 * 1024 * 1024 });
  running.child.stdin!.end(JSON.stringify(options));
  return JSON.parse((await running).stdout) as RenderedChart;
};

export interface KubernetesObject {
  readonly apiVersion: string;
  readonly kind: string;
}

/**
 * Makes a check against the schema that a version of Kubernetes publishes of an object's kind, in which unknown fields are errors.
 * @param version such as `1.37`
 * @returns problems of an object
 */
export const kubernetesSchemas = async (version: string): Promise<(object: KubernetesObject) => string[]> => {
  const schemas = path.join(await packages(), 'kubernetes_validate/kubernetes-json-schema');
  const text = fs.readFileSync(path.join(schemas, `v${version}.0-local-strict/_definitions.json`), 'utf8');
  const all = JSON.parse(text) as { $id: string; $defs: Record<string, Kind> };
  const ajv = new Ajv({ strict: false, allErrors: true, validateFormats: false });
  ajv.addSchema(all);
  return (object) => {
    const isIts = ({ group, version: own, kind }: GroupVersionKind): boolean =>
      (group === '' ? own : `${group}/${own}`) === object.apiVersion && kind === object.kind;
    const [name] =
      Object.entries(all.$defs).find(([, kind]) => kind['x-kubernetes-group-version-kind']?.some(isIts)) ?? [];
    if (name === undefined) return [`${version} has no ${object.apiVersion} ${object.kind}`];
    const validate = ajv.getSchema(`${all.$id}#/$defs/${name}`)!;
    if (validate(object) === true) return [];
    return (validate.errors ?? []).map(
      ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
    );
  };
};

interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

interface Kind {
  readonly 'x-kubernetes-group-version-kind'?: readonly GroupVersionKind[];
}
