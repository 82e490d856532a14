import { created, pathsOf } from '../support/answers.ts';
import { bankTransfer, startApi } from '../support/api-under-test.ts';

const api = await startApi({ webhookHosts: 'public' });
const local = await startApi({ webhookHosts: 'loopback' });
const links = ['success_url', 'cancel_url'] as const;

/** Creates a payment that waits for its diamond. */
const create = async (change: Record<string, unknown>, at = api) => {
  const shop = await at.actor('shop');
  const wallet = await at.wallet(shop);
  return at.call('POST', '/api/v1/payments', {
    token: shop.token,
    json: at.paymentBody({ wallet_id: wallet.id, ...change }),
  });
};

/** The rule that a value breaks, in the words of the refusal. */
const ruleOf = async (field: string, value: unknown, at = api): Promise<string> => {
  const answer = await create({ [field]: value }, at);
  expect([answer.status, answer.body.code, ...pathsOf(answer)]).toEqual([400, 'invalid_request', `/body/${field}`]);
  return answer.body.errors[0].message;
};

it('a payment keeps the links and the language of its page unchanged', async () => {
  const fields = {
    success_url: 'https://Shop.example:8443/thänks?order=1&to=a%20b#done',
    cancel_url: 'https://intranet/cart',
    locale: 'pt-br',
  };
  const made = await created(create(fields));
  expect(made).toMatchObject(fields);
  const { token } = await api.actor('shop');
  expect((await api.call('GET', `/api/v1/payments/${made.id}`, { token })).body).toEqual(made);
  const list = await api.call('GET', `/api/v1/payments?node_id=${made.node_id}&external_id=${made.external_id}`, {
    token,
  });
  expect(list.body.items).toEqual([made]);
  const page = await api.call('GET', `/api/v1/widget/payments/${made.id}/events`, { token: made.access_token });
  expect(page.body).toMatchObject(fields);
});

it.each([null, undefined])('a payment has null for them where the request has %s', async (value) => {
  const made = await created(create({ success_url: value, cancel_url: value, locale: value }));
  expect(made).toMatchObject({ success_url: null, cancel_url: null, locale: null });
});

describe('a link', () => {
  it.each([
    ['text that is no URL', 'shop.example/thanks', 'must be a URL'],
    ['a script', 'javascript:alert(1)', 'must be a URL'],
    ['data', 'data:text/html,paid', 'must be a URL'],
    ['a path alone', '/thanks', 'must be a URL'],
    ['another host by a backslash', 'https://shop.example\\@rival.example', 'must be a URL'],
    ['white space', 'https://shop.example/a b', 'must be a URL'],
    ['a control character', 'https://shop.example/a\u0009b', 'must be a URL'],
    ['a bidirectional control character', 'https://shop.example/\u202Egnp.exe', 'must be a URL'],
    ['no host', 'https://', 'must be a URL'],
    ['a port that cannot exist', 'https://shop.example:99999/', 'must be a URL'],
    ['a user name', 'https://shop.example@rival.example/', 'must not hold a user name or a password'],
    ['a password', 'https://:secret@rival.example/', 'must not hold a user name or a password'],
    ['http', 'http://shop.example/thanks', 'must begin with https://'],
    ['http to this machine', 'http://127.0.0.1:8080/thanks', 'must begin with https://'],
    ['ftp', 'ftp://shop.example/thanks', 'must be a URL'],
  ])('with %s is refused', async (_, link, rule) => {
    for (const field of links) expect(await ruleOf(field, link)).toContain(rule);
  });

  it('has at most 2,048 characters', async () => {
    const longest = `https://shop.example/${'a'.repeat(2_048 - 21)}`;
    for (const field of links) {
      expect((await created(create({ [field]: longest })))[field]).toBe(longest);
      expect(await ruleOf(field, `${longest}a`)).toContain('2048');
    }
  });

  it('may lead to this machine without TLS where webhooks may, and nowhere else without it', async () => {
    for (const host of ['127.0.0.1:8080', 'localhost', 'shop.localhost:3000', '[::1]:3000']) {
      const made = await created(create({ success_url: `http://${host}/thanks` }, local));
      expect(made.success_url).toBe(`http://${host}/thanks`);
    }
    for (const host of ['shop.example', '10.0.0.1', 'localhost.example']) {
      expect(await ruleOf('success_url', `http://${host}/`, local)).toBe('must begin with https://');
    }
  });
});

describe('the language of a page', () => {
  it.each(['de', 'pt-BR', 'zh-Hant-TW', 'ar', 'de-DE-u-co-phonebk'])('may be %s', async (locale) => {
    expect((await created(create({ locale }))).locale).toBe(locale);
  });

  it.each(['de_DE', 'd', 'german!', 'de-', '../../de', '<b>'])('is not %s', async (locale) => {
    expect(await ruleOf('locale', locale)).toMatch(/language tag|at least 2/);
  });

  it('has at most 35 characters', async () => {
    const longest = `de-x-${'abcdefgh-'.repeat(3)}abc`;
    expect(longest).toHaveLength(35);
    expect((await created(create({ locale: longest }))).locale).toBe(longest);
    expect(await ruleOf('locale', `${longest}d`)).toContain('35');
  });
});

describe('checkout_url', () => {
  it('leads to the page of a web3 payment; its fragment opens the widget data', async () => {
    const made = await created(create({}));
    expect(made.checkout_url).toBe(`https://pay.test/pay/${made.id}#${made.access_token}`);
    const { hash } = new URL(made.checkout_url);
    const widget = await api.call('GET', `/api/v1/widget/payments/${made.id}`, { token: hash.slice(1) });
    // The token is accepted; the diamond is not there yet.
    expect(widget.body.code).toBe('payment_not_payable');
  });

  it('is null for a payment that has no page', async () => {
    expect((await created(create({ ...bankTransfer, wallet_id: undefined }))).checkout_url).toBeNull();
  });

  it('is null in the audit log, whose entries contain no token', async () => {
    const made = await created(create({}));
    const entries = await api.knex('audit_log').where({ resource_id: made.id });
    expect(entries).toMatchObject([{ after: { checkout_url: null, success_url: null } }]);
    expect(JSON.stringify(entries)).not.toContain('wt_');
  });
});
