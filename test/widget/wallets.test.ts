import { walletLinks } from '../../widget/wallet/wallets.ts';

const page = 'https://pay.example/pay/6f1d2c3b-4a59-4e68-8f7d-9c0b1a2d3e4f#wt_1_secret';

it('links to wallet apps stay on the device, and keep the token', () => {
  const links = walletLinks(page);
  expect(links.length).toBeGreaterThan(2);
  for (const { url } of links) {
    expect(url).not.toMatch(/^https?:/);
    expect(decodeURIComponent(url)).toContain('#wt_1_secret');
  }
});
