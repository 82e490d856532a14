import net from 'node:net';
import { randomUUID } from 'node:crypto';
import { offerHash } from '../../../chain/pure/deal-encoding.ts';
import { release } from '../../../chain/pure/releases.ts';
import { createKeySigner } from '../../../chain/signing/signer.ts';
import { distrustRecord, setWindow } from '../../../db/offers/record.ts';
import { forgetOffers } from '../../../db/offers/forget.ts';
import { createOfferStore } from '../../../db/offers/store.ts';
import { decideCancel } from '../../../db/payments/cancel.ts';
import { showStalledOffers, showOffersWait } from '../../../db/intents/waiting.ts';
import { permissions as allPermissions } from '../../../domain/access.ts';
import type { OfferStore } from '../../../domain/ports/offers.ts';
import { hex } from '../../support/fixtures.ts';
import { startApi } from '../support/api-under-test.ts';

const api = await startApi();
const shop = await api.actor('shop');
const rival = await api.actor('rival');
const networkId = api.ids.networks.A!;
const signer = createKeySigner(hex(32));
let accountId: string;
let store: OfferStore;
const say = (...x: unknown[]) => process.stderr.write(x.map((v) => (typeof v === 'string' ? v : JSON.stringify(v))).join(' ') + '\n');

const put = (id: string, json: unknown, token = shop.token) => api.call('PUT', `/api/v1/wallets/${id}`, { token, json });
const offered = (mode = 'offered') => ({ deal_modes: [{ network_id: networkId, mode }] });
const offering = async () => {
  const wallet = await api.wallet(shop);
  await api.activate(wallet, 'A');
  await api.knex('diamonds').where({ wallet_id: wallet.id }).update({ release: release.version });
  expect((await put(wallet.id, offered())).status).toBe(204);
  return wallet;
};
const pay = async (wallet: { id: string }) =>
  (await api.call('POST', '/api/v1/payments', { token: shop.token, json: api.paymentBody({ wallet_id: wallet.id }) })).body;
const sign = async () => {
  const wanted = await store.wanted(networkId, 25);
  const all = await Promise.all(
    wanted.flatMap(({ paymentId, diamond, terms, ends }) =>
      ends.map(async (validUntil) => ({ paymentId, validUntil, signature: await signer.signDigest(offerHash(31_337, diamond, terms, validUntil)) })),
    ),
  );
  if (all.length > 0) await store.save(accountId, all);
  return wanted.length;
};
const signAll = async () => {
  while ((await sign()) > 0);
};

beforeAll(async () => {
  await distrustRecord(api.knex, 900);
  store = createOfferStore(api.knex, api.encryption);
  [{ id: accountId }] = await api.knex('signer_accounts').insert({ network_id: networkId, address: signer.address, role: 'signer' }).returning('id');
});

it('bad bodies', async () => {
  const wallet = await offering();
  const n = networkId;
  const bodies: string[] = [
    '{"deal_modes":null}', '{"deal_modes":{}}', '{"deal_modes":"offered"}', '{"deal_modes":1}', '{"deal_modes":true}',
    '{"deal_modes":[null]}', '{"deal_modes":[1]}', '{"deal_modes":[[]]}', '{"deal_modes":[{}]}',
    `{"deal_modes":[{"network_id":"${n}"}]}`, `{"deal_modes":[{"network_id":"${n}","mode":null}]}`,
    `{"deal_modes":[{"network_id":"${n}","mode":"OFFERED"}]}`, `{"deal_modes":[{"network_id":"${n}","mode":["offered"]}]}`,
    `{"deal_modes":[{"network_id":"${n}","mode":"offered","x":1}]}`,
    `{"deal_modes":[{"network_id":"${n}","mode":"offered","__proto__":{"a":1}}]}`,
    `{"deal_modes":[{"network_id":"__proto__","mode":"offered"}]}`,
    `{"deal_modes":[{"network_id":"urn:uuid:${n}","mode":"created"}]}`, `{"deal_modes":[{"network_id":"{${n}}","mode":"created"}]}`,
    `{"deal_modes":[{"network_id":31337,"mode":"created"}]}`, `{"deal_modes":[{"network_id":"${n.replaceAll('-', '')}","mode":"created"}]}`,
    `{"deal_modes":[{"network_id":" ${n}","mode":"created"}]}`, `{"deal_modes":[{"network_id":"${n}\\u0000","mode":"created"}]}`,
    `{"__proto__":{"deal_modes":[]}}`, `{"constructor":{"prototype":{"a":1}}}`, `{"deal_modes":[],"__proto__":1}`,
    `{"deal_modes":[${Array.from({ length: 101 }, () => `{"network_id":"${randomUUID()}","mode":"created"}`).join()}]}`,
    `{"deal_modes":[${Array.from({ length: 100 }, () => `{"network_id":"${n}","mode":"created"}`).join()}]}`,
    `{"deal_modes":[{"network_id":"${n}","mode":"created"},{"network_id":"${randomUUID()}","mode":"created"}]}`,
    `{"deal_modes":[{"network_id":"${n}","mode":"created"},{"network_id":"${api.ids.networks.S}","mode":"created"}]}`,
    `{"deal_modes":[{"network_id":"${n}","mode":"created"},{"network_id":"${api.ids.networks.B}","mode":"offered"}]}`,
    `{"name":"half","deal_modes":[{"network_id":"${api.ids.networks.B}","mode":"offered"}]}`,
    `{"deal_modes":[{"network_id":"${n}","mode":"created"}],"address":"0x90F79bf6EB2c4f870365E785982E1f101E93b906"}`,
    `[]`, `null`, `"x"`, `1`, '{', `{"deal_modes":[`, `{"deal_modes":${'['.repeat(5000)}${']'.repeat(5000)}}`,
  ];
  for (const raw of bodies) {
    const a = await api.call('PUT', `/api/v1/wallets/${wallet.id}`, { token: shop.token, raw, headers: { 'content-type': 'application/json' } });
    say('PUT', raw.slice(0, 130), '=>', a.status, a.text.slice(0, 330));
    expect(a.status).toBeLessThan(500);
    expect(a.status).toBeGreaterThanOrEqual(400);
  }
  const w = await api.call('GET', `/api/v1/wallets/${wallet.id}`, { token: shop.token });
  expect(w.body.deal_modes).toEqual([{ network_id: networkId, mode: 'offered' }]);
  say(w.body);
  const payment = await pay(wallet);
  await signAll();
  for (const raw of [
    'null', '[]', '""', '1', '{"on_chain":null}', '{"on_chain":1}', '{"on_chain":"true"}', '{"on_chain":[]}', '{"on_chain":{}}', '{"on_chain":true,"x":1}',
    '{"__proto__":{"on_chain":true}}', '{"on_chain":true,"__proto__":{}}', '{"constructor":1}', '{', '{"on_chain":tru', '{"ON_CHAIN":true}',
  ]) {
    const a = await api.call('POST', `/api/v1/payments/${payment.id}/cancel`, { token: shop.token, raw, headers: { 'content-type': 'application/json' } });
    say('CANCEL', raw, '=>', a.status, a.text.slice(0, 300));
    const s = (await api.knex('payments').where({ id: payment.id }).first()).status;
    if (a.status >= 400) expect(s).toBe('awaiting_payment');
    else say('   ACCEPTED', s);
    expect(a.status).toBeLessThan(500);
  }
}, 60_000);

const rawSend = (text: string, ms = 2000): Promise<string> =>
  new Promise((resolve) => {
    const { port } = new URL(api.url);
    const socket = net.connect(Number(port), '127.0.0.1', () => socket.write(text));
    let got = '';
    socket.on('data', (d) => (got += d));
    socket.on('error', () => resolve(got));
    socket.on('close', () => resolve(got));
    setTimeout(() => socket.destroy(), ms);
  });

it('raw', async () => {
  const wallet = await offering();
  const payment = await pay(wallet);
  await signAll();
  const head = (m: string, p: string, extra = '') => `${m} ${p} HTTP/1.1\r\nHost: x\r\n${extra}`;
  const auth = `Authorization: Bearer ${shop.token}\r\n`;
  const wauth = `Authorization: Bearer ${payment.access_token}\r\n`;
  const endsOf = async () => (await api.knex('offer_ends').where({ payment_id: payment.id }).first()).revealed_until;
  const wp = `/api/v1/widget/payments/${payment.id}`;
  const cp = `/api/v1/payments/${payment.id}/cancel`;
  // cut-off bodies of cancel
  say('cut', (await rawSend(head('POST', cp, `${auth}Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{"on_chain":true}`), 1500)).slice(0, 600));
  say('chunk cut', (await rawSend(head('POST', cp, `${auth}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{"on_`), 1500)).slice(0, 600));
  say('no type', (await rawSend(head('POST', cp, `${auth}Content-Length: 2\r\n\r\n{}`), 1500)).slice(0, 900));
  expect((await api.knex('payments').where({ id: payment.id }).first()).status).toBe('awaiting_payment');
  // HEAD
  say('HEAD no token', (await rawSend(head('HEAD', wp, `Connection: close\r\n\r\n`))).slice(0, 900), await endsOf());
  const p2 = await pay(wallet);
  say('wrong tok', (await rawSend(head('GET', wp, `Authorization: Bearer ${p2.access_token}\r\nConnection: close\r\n\r\n`))).slice(0, 1200), await endsOf());
  for (const t of [shop.token, rival.token, `${payment.access_token}x`, payment.access_token.slice(0, -2)])
    say('other tok', (await rawSend(head('GET', wp, `Authorization: Bearer ${t}\r\nConnection: close\r\n\r\n`))).split('\r\n\r\n')[1]!, await endsOf());
  expect(await endsOf()).toBeNull();
  say('HEAD', await rawSend(head('HEAD', wp, `${wauth}Connection: close\r\n\r\n`)), await endsOf());
  const g = await rawSend(head('GET', wp, `${wauth}Origin: https://evil\r\nConnection: close\r\n\r\n`));
  say('GET', g.slice(0, 1200));
  say('GET inm', (await rawSend(head('GET', wp, `${wauth}If-None-Match: *\r\nIf-Modified-Since: ${new Date().toUTCString()}\r\nRange: bytes=0-10\r\nAccept-Encoding: gzip\r\nConnection: close\r\n\r\n`))).slice(0, 700));
  say('query', (await rawSend(head('GET', `${wp}?token=1`, `${wauth}Connection: close\r\n\r\n`))).slice(-500));
  say('method', (await rawSend(head('POST', wp, `${wauth}X-HTTP-Method-Override: GET\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`))).slice(-500));
  // pipelines
  const pipe = await rawSend(
    head('GET', wp, `${wauth}\r\n`) + head('POST', cp, `${auth}Content-Length: 0\r\n\r\n`) + head('GET', wp, `${wauth}\r\n`) + head('POST', cp, `${auth}Content-Type: application/json\r\nContent-Length: 17\r\n\r\n{"on_chain":true}`) + head('GET', wp, `${wauth}Connection: close\r\n\r\n`),
    3500,
  );
  say('pipe', pipe.match(/HTTP\/1.1 \d+|"payable":\w+|"status":"\w+"|"offer_valid_until":[^,]+/g)!.join(' | '));
}, 60_000);

it('other tenants', async () => {
  const wallet = await offering();
  const payment = await pay(wallet);
  await signAll();
  const ro = await api.actor('shop', allPermissions.filter((p) => p.endsWith('.read')));
  const branch = await api.actor('branch');
  const none = randomUUID();
  for (const [who, token] of [['rival', rival.token], ['ro', ro.token], ['branch', branch.token]] as const) {
    for (const id of [wallet.id, none])
      for (const body of [offered('created'), offered(), { deal_modes: [] }, { deal_modes: [{ network_id: none, mode: 'offered' }] }, { deal_modes: [offered().deal_modes[0], offered().deal_modes[0]] }]) {
        const a = await put(id, body, token);
        say(who, id === none ? 'none' : 'real', JSON.stringify(body).slice(0, 60), a.status, a.body?.code, a.body?.detail);
      }
    for (const id of [payment.id, none])
      for (const [m, p, json] of [['POST', `payments/${id}/cancel`, {}], ['POST', `payments/${id}/cancel`, { on_chain: true }], ['POST', `payments/${id}/retry-send`], ['GET', `payments/${id}`], ['GET', `payments/${id}/logs`]] as const) {
        const a = await api.call(m, `/api/v1/${p}`, { token, ...(json ? { json } : {}) });
        say(who, id === none ? 'none' : 'real', m, p.replace(id, ''), a.status, a.body?.code, a.body?.detail);
        expect(a.text).not.toMatch(/signature|encrypted/);
      }
  }
  expect((await api.knex('payments').where({ id: payment.id }).first()).status).toBe('awaiting_payment');
  // key replays
  const key = { 'idempotency-key': 'k-1' };
  const c = (json?: object, token = shop.token) => api.call('POST', `/api/v1/payments/${payment.id}/cancel`, { token, headers: key, ...(json ? { json } : {}) });
  for (const [n, f] of [['first', () => c()], ['{}', () => c({})], ['same', () => c()], ['onchain', () => c({ on_chain: true })], ['false', () => c({ on_chain: false })], ['rival', () => c(undefined, rival.token)], ['ro', () => c(undefined, ro.token)]] as const) {
    const a = await f();
    say('key', n, a.status, a.text.slice(0, 160), a.headers.get('idempotent-replayed'));
  }
  const row = await api.knex('payments').where({ id: payment.id }).first();
  say('row', row.status, row.cancel_on_chain, await api.knex('tx_intents').where({ payment_id: payment.id }).pluck('purpose'));
}, 60_000);

it('storm', async () => {
  const wallets = [await offering(), await offering()];
  await setWindow(api.knex, 10);
  const payments: any[] = [];
  const statuses: Record<string, number> = {};
  const bad: string[] = [];
  const note = (what: string, a: { status: number; text: string }) => {
    const k = `${what} ${a.status}`;
    statuses[k] = (statuses[k] ?? 0) + 1;
    if (a.status >= 500) bad.push(`${k} ${a.text.slice(0, 200)}`);
  };
  for (let i = 0; i < 5; i += 1) payments.push(...(await Promise.all(Array.from({ length: 20 }, (_, j) => pay(wallets[j % 2]!)))));
  let over = false;
  const errors: string[] = [];
  const loop = async (f: () => Promise<unknown>, ms: number) => {
    while (!over) {
      try { await f(); } catch (e) { errors.push(String((e as Error).message).slice(-200)); }
      await new Promise((r) => setTimeout(r, ms));
    }
  };
  const canceling = async () => {
    const ids = await api.knex('payments').where({ status: 'canceling' }).pluck('id');
    await Promise.all(ids.slice(0, 8).map((id: string) => decideCancel(api.knex, id)));
  };
  const loops = [loop(sign, 20), loop(sign, 35), loop(canceling, 10), loop(() => forgetOffers(api.knex), 100), loop(() => showStalledOffers(api.knex), 50), loop(() => showOffersWait(api.knex, networkId, 'network_paused'), 60), loop(() => showOffersWait(api.knex, networkId, null), 60),
    loop(async () => { await store.recordRoles(networkId, []); await store.recordRoles(networkId, [accountId]); }, 300)];
  const shown = new Map<string, { until: string }[]>();
  const rnd = (n: number) => new Promise((r) => setTimeout(r, Math.random() * n));
  const widget = async (p: any) => {
    await rnd(2500);
    const a = await api.call('GET', `/api/v1/widget/payments/${p.id}`, { token: p.access_token });
    note('widget', a);
    if (a.body?.payable) shown.set(p.id, [...(shown.get(p.id) ?? []), { until: a.body.contract.arguments[1] }]);
  };
  const cancel = async (p: any, json?: object) => {
    await rnd(2500);
    note('cancel', await api.call('POST', `/api/v1/payments/${p.id}/cancel`, { token: shop.token, ...(json ? { json } : {}) }));
  };
  const retry = async (p: any) => { await rnd(2000); note('retry', await api.call('POST', `/api/v1/payments/${p.id}/retry-send`, { token: shop.token })); };
  const toggle = async () => { await rnd(2500); note('put', await put(wallets[Math.floor(Math.random() * 2)]!.id, offered(Math.random() < 0.5 ? 'created' : 'offered'))); };
  const rename = async () => { await rnd(2500); note('put', await put(wallets[0]!.id, { name: `n${Math.random()}`, is_active: true })); };
  await Promise.all([
    ...payments.flatMap((p, i) => [widget(p), widget(p), widget(p), retry(p), ...(i % 3 === 0 ? [] : [cancel(p), cancel(p, { on_chain: i % 2 === 0 })])]),
    ...Array.from({ length: 30 }, toggle), ...Array.from({ length: 20 }, rename),
    ...Array.from({ length: 40 }, async (_, i) => { await rnd(2500); const a = await api.call('POST', '/api/v1/payments', { token: shop.token, json: api.paymentBody({ wallet_id: wallets[i % 2]!.id }) }); note('pay', a); }),
  ]);
  await new Promise((r) => setTimeout(r, 1500));
  over = true;
  await Promise.all(loops);
  await canceling();
  say('storm', statuses, 'bad', bad.slice(0, 5), 'errors', [...new Set(errors)].slice(0, 6), errors.length);
  const counts: Record<string, number> = {};
  for (const p of payments) {
    const row = await api.knex('payments').where({ id: p.id }).first();
    const ends = await api.knex('offer_ends').where({ payment_id: p.id }).first();
    const k = `${row.status} ${row.status_detail} ${row.deal_mode} revealed:${ends.revealed_until !== null} shown:${shown.has(p.id)}`;
    counts[k] = (counts[k] ?? 0) + 1;
    for (const { until } of shown.get(p.id) ?? []) if (BigInt(ends.revealed_until ?? 0) < BigInt(until)) bad.push('shown beyond record');
    if (row.status === 'canceled' && shown.has(p.id)) bad.push('canceled but shown');
  }
  say(counts);
  expect(bad).toEqual([]);
}, 120_000);

it('leaks', async () => {
  const offers = await api.knex('offers').select('*');
  const log = api.lines.join('');
  const audit = JSON.stringify(await api.knex('audit_log').select('before', 'after'));
  say('offers', offers.length, 'log bytes', log.length);
  for (const o of offers) {
    const sig = api.encryption.decrypt(`offer:${o.payment_id}:${o.valid_until}`, o.encrypted) as string;
    for (const text of [log, audit]) {
      expect(text).not.toContain(sig.slice(2, 40));
      expect(text).not.toContain(o.encrypted.toString('hex').slice(0, 40));
    }
  }
});
