import type { BrowserContext, Frame } from 'playwright-core';

/** A request of a page to a wallet (EIP-1193). */
export interface WalletRequest {
  readonly method: string;
  readonly params: readonly unknown[];
}

/** An error as a wallet gives it to a page (EIP-1193, EIP-1474). */
export class WalletError extends Error {
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** A wallet as a browser's extension shows it to pages (EIP-6963). */
export interface InstalledWallet {
  readonly name: string;
  /** Reverse domain name, such as `org.example.wallet`. */
  readonly rdns: string;
  /** Answers a request of a page of this origin, or throws a {@link WalletError}. */
  handle(request: WalletRequest, origin: string): Promise<unknown>;
  /** Is given, once, the function that sends an event to all pages. */
  connect?(emit: (event: string, value: unknown) => Promise<void>): void;
}

/** How wallets are found by pages. */
export interface Finding {
  /** Announce the wallets by EIP-6963. Default true. */
  readonly announced?: boolean;
}

type Listener = (value: unknown) => void;

/** The page's globals that {@link provide} uses and adds. */
interface PageGlobals extends EventTarget {
  ethereum?: unknown;
  caratWalletRequest(wallet: number, request: unknown): Promise<{ result?: unknown; error?: WalletError }>;
  caratWalletEvent(wallet: number, event: string, value: unknown): void;
}

interface Provided {
  readonly infos: readonly { uuid: string; name: string; rdns: string; icon: string }[];
  readonly announced: boolean;
}

/** Runs in the page before its own scripts, and thus uses nothing from this file. */
const provide = ({ infos, announced }: Provided): void => {
  const page = globalThis as unknown as PageGlobals;
  const wallets = infos.map((info, index) => {
    const listeners = new Map<string, Set<Listener>>();
    const of = (event: string): Set<Listener> => {
      const known = listeners.get(event) ?? new Set();
      listeners.set(event, known);
      return known;
    };
    const provider = {
      request: async (request: { method: string; params?: unknown }): Promise<unknown> => {
        const { result, error } = await page.caratWalletRequest(index, request);
        if (error) throw Object.assign(new Error(error.message), { code: error.code, data: error.data });
        return result;
      },
      on: (event: string, listener: Listener) => {
        of(event).add(listener);
        return provider;
      },
      removeListener: (event: string, listener: Listener) => {
        of(event).delete(listener);
        return provider;
      },
    };
    return { info, provider, emit: (event: string, value: unknown) => of(event).forEach((heard) => heard(value)) };
  });
  page.caratWalletEvent = (index, event, value) => wallets[index]?.emit(event, value);
  if (wallets[0]) page.ethereum = wallets[0].provider;
  if (!announced) return;
  const announce = (): void => {
    for (const { info, provider } of wallets) {
      page.dispatchEvent(
        new CustomEvent('eip6963:announceProvider', { detail: Object.freeze({ info: Object.freeze(info), provider }) }),
      );
    }
  };
  page.addEventListener('eip6963:requestProvider', announce);
  announce();
};

/** A square in one colour, the same for each name. */
const iconOf = (name: string): string => {
  const hue = Buffer.from(name).reduce((sum, byte) => (sum * 31 + byte) % 360, 7);
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="96" height="96"><rect width="96" height="96" fill="hsl(${hue} 60% 45%)"/></svg>`;
  return `data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}`;
};

const asAnswer = (error: unknown): { error: object } => {
  const { code = -32_603, message, data } = error as Partial<WalletError>;
  return { error: { code, message: message ?? String(error), data } };
};

/** Installs wallets in a browser's context before its first page is opened, as extensions would be. */
export const installWallets = async (
  context: BrowserContext,
  wallets: readonly InstalledWallet[],
  { announced = true }: Finding = {},
): Promise<void> => {
  await context.exposeBinding(
    'caratWalletRequest',
    async ({ frame }, index: number, { method, params }: { method: string; params?: unknown[] }) => {
      try {
        return { result: await wallets[index]!.handle({ method, params: params ?? [] }, new URL(frame.url()).origin) };
      } catch (error) {
        return asAnswer(error);
      }
    },
  );
  const infos = wallets.map(({ name, rdns }, index) => ({
    uuid: `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`,
    name,
    rdns,
    icon: iconOf(name),
  }));
  await context.addInitScript(provide, { infos, announced });
  const tell = async (frame: Frame, index: number, event: string, value: unknown): Promise<void> => {
    await frame.evaluate(
      ([to, named, what]) => (globalThis as unknown as PageGlobals).caratWalletEvent(to, named, what),
      [index, event, value] as const,
    );
  };
  for (const [index, wallet] of wallets.entries()) {
    wallet.connect?.(async (event, value) => {
      const frames = context.pages().flatMap((page) => page.frames());
      await Promise.all(frames.map((frame) => tell(frame, index, event, value)));
    });
  }
};
