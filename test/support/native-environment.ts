/** Jest's environment for test/support/native-runtime.ts: the worker's own globals. Changes of `process.env` end with the test file. */
export default class NativeEnvironment {
  readonly global = globalThis;
  readonly #environment = { ...process.env };

  async setup(): Promise<void> {}

  async teardown(): Promise<void> {
    for (const name of Object.keys(process.env))
      if (!(name in this.#environment)) Reflect.deleteProperty(process.env, name);
    Object.assign(process.env, this.#environment);
  }

  exportConditions(): string[] {
    return ['node', 'node-addons'];
  }

  getVmContext(): null {
    return null;
  }
}
