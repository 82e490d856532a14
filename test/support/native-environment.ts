import { mock } from 'node:test';

/** A describe block or a test, as jest-circus holds it. */
interface Block {
  mode?: string | null;
  readonly children?: readonly Block[];
}

/** Seconds since 1970 after which no file begins (tools/check/test.ts); its tests count as pending. */
const beginUntil = Number(process.env.CARAT_TESTS_BEGIN_UNTIL ?? Infinity);

const leaveOut = (block: Block): void => {
  block.mode = 'skip';
  block.children?.forEach(leaveOut);
};

/**
 * Jest's environment for test/support/native-runtime.ts: the worker's own globals. Changes of `process.env` and fakes of `node:test`
 * end with the test file, as do Jest's own console and its own `process.exit`. With faked timers, tests of the next file would have no
 * timeout.
 */
export default class NativeEnvironment {
  readonly global = globalThis;
  readonly #environment = { ...process.env };
  readonly #console = globalThis.console;
  readonly #exit = process.exit;

  async setup(): Promise<void> {}

  async teardown(): Promise<void> {
    mock.reset();
    Object.assign(globalThis, { console: this.#console });
    process.exit = this.#exit;
    for (const name of Object.keys(process.env))
      if (!(name in this.#environment)) Reflect.deleteProperty(process.env, name);
    Object.assign(process.env, this.#environment);
  }

  handleTestEvent({ name }: { name: string }, { rootDescribeBlock }: { rootDescribeBlock: Block }): void {
    if (name === 'run_start' && Date.now() / 1_000 > beginUntil) leaveOut(rootDescribeBlock);
  }

  exportConditions(): string[] {
    return ['node', 'node-addons'];
  }

  getVmContext(): null {
    return null;
  }
}
