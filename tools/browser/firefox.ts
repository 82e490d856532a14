import { firefox, type Browser } from 'playwright-core';

/** Of Playwright's inner workings: a session of WebDriver BiDi. */
interface Session {
  send(method: string, params: unknown): Promise<unknown>;
}

interface Inner {
  readonly _connection: { toImpl(browser: Browser): { readonly _browserSession: Session } };
}

/** Emulation of dark and light. Playwright asks for it for each page, and releases of Firefox up to 153 do not know it. */
const UNKNOWN = 'emulation.setMediaFeaturesOverride';

/** Answers commands that Firefox does not know as if they were done. */
const tolerate = (browser: Browser): void => {
  const session = (browser as unknown as Inner)._connection.toImpl(browser)._browserSession;
  const prototype = Object.getPrototypeOf(session) as Session;
  const { send } = prototype;
  prototype.send = function (method, params) {
    return method === UNKNOWN ? Promise.resolve({}) : send.call(this, method, params);
  };
};

/**
 * Starts a headless Firefox of the machine, which npm does not have: Debian's package is `firefox-esr`. Any release that speaks
 * WebDriver BiDi will do. `CARAT_FIREFOX` is the path of another one.
 */
export const launchFirefox = async (): Promise<Browser> => {
  const executablePath = process.env.CARAT_FIREFOX ?? '/usr/bin/firefox-esr';
  const browser = await firefox.launch({ channel: 'moz-firefox', executablePath });
  tolerate(browser);
  return browser;
};
