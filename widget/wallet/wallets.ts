import type { Provider } from './provider.ts';

/** A wallet of the buyer's browser. */
export interface Wallet {
  readonly uuid: string;
  /** EIP-6963 `rdns`, or `injected` for a wallet that only sets `window.ethereum`. */
  readonly id: string;
  /** Null for a wallet that does not tell its name. */
  readonly name: string | null;
  /** A `data:` URL of an image, or null. */
  readonly icon: string | null;
  readonly provider: Provider;
}

/** The announcement of a wallet (EIP-6963). */
interface Announcement {
  readonly info: { readonly uuid: string; readonly rdns: string; readonly name: string; readonly icon: unknown };
  readonly provider: Provider;
}

/** Milliseconds that wallets get to announce themselves before the page says that there is none. */
const ANNOUNCE_MS = 400;

/** An icon is shown only from the wallet's own bytes: any other URL would tell its host about the buyer. */
const iconOf = (icon: unknown): string | null =>
  typeof icon === 'string' && /^data:image\/(png|svg\+xml|webp|jpeg|gif)[;,]/.test(icon) ? icon : null;

/**
 * Finds the wallets of the browser (EIP-6963), and `window.ethereum` (EIP-1193) where none announces itself.
 * @param changed called with all wallets, at once and when one is added; `isComplete` after wallets had time to announce
 * @returns ends the search
 */
export const findWallets = (changed: (wallets: readonly Wallet[], isComplete: boolean) => void): (() => void) => {
  const announced: Wallet[] = [];
  let isComplete = false;
  const tell = (): void => {
    const { ethereum } = window as { ethereum?: Provider };
    const injected = { uuid: '', id: 'injected', name: null, icon: null, provider: ethereum! };
    const wallets = announced.length === 0 && isComplete && ethereum !== undefined ? [injected] : announced;
    changed([...wallets], isComplete);
  };
  const hear = (event: Event): void => {
    const { info, provider } = (event as CustomEvent<Announcement>).detail;
    if (announced.some(({ uuid }) => uuid === info.uuid)) return;
    announced.push({ uuid: info.uuid, id: info.rdns, name: info.name, icon: iconOf(info.icon), provider });
    tell();
  };
  addEventListener('eip6963:announceProvider', hear);
  dispatchEvent(new Event('eip6963:requestProvider'));
  tell();
  // Some wallets of phones set `window.ethereum` late.
  addEventListener('ethereum#initialized', tell);
  const complete = setTimeout(() => {
    isComplete = true;
    tell();
  }, ANNOUNCE_MS);
  return () => {
    clearTimeout(complete);
    removeEventListener('ethereum#initialized', tell);
    removeEventListener('eip6963:announceProvider', hear);
  };
};

/** Another wallet's own browser, as a link that opens this page in it. */
export interface WalletLink {
  readonly name: string;
  readonly url: string;
}

/**
 * Links that open a page in the browser of a wallet app. Only links with the app's own scheme: they stay on the device.
 * A universal link would send the page's address, and with it the token, to the wallet maker's server.
 * @param page the page's whole address, with its fragment
 */
export const walletLinks = (page: string): WalletLink[] => {
  const encoded = encodeURIComponent(page);
  return [
    { name: 'MetaMask', url: `metamask://dapp/${page.replace(/^https?:\/\//, '')}` },
    { name: 'Trust Wallet', url: `trust://open_url?coin_id=60&url=${encoded}` },
    { name: 'Coinbase Wallet', url: `cbwallet://dapp?url=${encoded}` },
    { name: 'OKX Wallet', url: `okx://wallet/dapp/url?dappUrl=${encoded}` },
  ];
};
