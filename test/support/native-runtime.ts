import { createRequire, registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';
import { root } from '../../tools/paths.ts';
import { TEST_TIMEOUT } from './test-timeout.ts';

/*
 * Jest's `runtime` for a project whose modules need no transform: Node itself imports them, in the worker's own realm
 * (test/support/native-environment.ts). A module below a folder `test/` is evaluated again for each test file, all others once for a worker, as
 * are those of test/support/once/.
 * Node strips the types. Nothing can be mocked by its path.
 */

const require = createRequire(import.meta.url);
const ownModules = pathToFileURL(`${root}/`).href;

const isOfTest = (url: string): boolean => {
  if (!url.startsWith(ownModules)) return false;
  const folders = url.slice(ownModules.length).split('/');
  return folders.includes('test') && !folders.includes('node_modules') && !folders.includes('once');
};

/** Counts the test files of this worker, and is part of the URL of each of their modules. */
let file = 0;

registerHooks({
  resolve(specifier, context, next) {
    const resolved = next(specifier, context);
    return isOfTest(resolved.url) ? { ...resolved, url: `${resolved.url}?file=${file}` } : resolved;
  },
});

/** Jest-circus stores the handlers of a test file's events here. */
const EVENT_HANDLERS = Symbol.for('EVENT_HANDLERS');

export default class NativeRuntime {
  constructor() {
    file += 1;
  }

  /** A module of Jest that belongs to one test file: jest-circus with its state. */
  requireInternalModule(path: string): unknown {
    for (const former of [EVENT_HANDLERS, TEST_TIMEOUT]) Reflect.deleteProperty(globalThis, former);
    Reflect.deleteProperty(require.cache, path);
    return require(path);
  }

  requireModule(path: string): unknown {
    return require(path);
  }

  unstable_shouldLoadAsEsm(): boolean {
    return true;
  }

  unstable_importModule(path: string): Promise<unknown> {
    return import(pathToFileURL(path).href);
  }

  /** `describe`, `it` and the others are globals already. */
  setGlobalsForRuntime(): void {}
  enterTestCode(): void {}
  leaveTestCode(): void {}
  teardown(): void {}

  getSourceMaps(): null {
    return null;
  }

  getAllCoverageInfoCopy(): undefined {
    return undefined;
  }
}
