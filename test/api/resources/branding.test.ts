import { createHash } from 'node:crypto';
import { frameOriginsOf } from '../../../db/branding/branding.ts';
import { chunk, header, png, signature } from '../../support/png.ts';
import { codeOf, created, pathsOf, together } from '../support/answers.ts';
import { startApi, type Actor } from '../support/api-under-test.ts';

const api = await startApi();
const [root, shop, branch, rival] = await Promise.all(
  ['root', 'shop', 'branch', 'rival'].map((node) => api.actor(node)),
);

const pathOf = (nodeId: string) => `/api/v1/nodes/${nodeId}/branding`;
const read = (actor: Actor, nodeId = actor.nodeId) => api.call('GET', pathOf(nodeId), { token: actor.token });
const set = (actor: Actor, json: object, nodeId = actor.nodeId) =>
  api.call('PUT', pathOf(nodeId), { token: actor.token, json });
const base64 = (image: Buffer): string => image.toString('base64');
const hashOf = (image: Buffer): string => createHash('sha256').update(image).digest('hex');
const urlOf = (image: Buffer): string => `https://pay.test/pay/logos/${hashOf(image)}`;
const ruleOf = async (json: object, field: string): Promise<string> => {
  const answer = await set(shop!, json);
  expect([...codeOf(answer), ...pathsOf(answer)]).toEqual([400, 'invalid_request', `/body/${field}`]);
  return answer.body.errors[0].message;
};

const wallet = await api.wallet(shop!);
const pay = async (actor: Actor) =>
  created(
    api.call('POST', '/api/v1/payments', {
      token: actor.token,
      json: api.paymentBody({
        node_id: actor.nodeId,
        wallet_id: (actor === rival ? await api.wallet(actor) : wallet).id,
      }),
    }),
  );
const merchantOf = async (actor: Actor): Promise<unknown> => {
  const { id, access_token } = await pay(actor);
  const { body } = await api.call('GET', `/api/v1/widget/payments/${id}/events`, { token: access_token });
  return body.merchant;
};

beforeEach(() => api.knex('branding').delete());

describe('the branding of a node', () => {
  const logo = png();
  const full = {
    display_name: 'Söcke & Söhne 🧦',
    accent_color: '#1D4ED8',
    logo: base64(logo),
    frame_origins: ['https://Shop.example:443/', 'https://shop.example', 'https://xn--shp-hoa.example:8443'],
  };

  it('is empty at first, and then as it was set, with an entry in the audit log', async () => {
    const nothing = { display_name: null, accent_color: null, logo_url: null, frame_origins: [], updated_at: null };
    const unbranded = { name: 'shop', accent_color: null, logo_url: null };
    expect((await read(shop!)).body).toEqual({ node_id: shop!.nodeId, ...nothing, merchant: unbranded });
    const { status, body } = await set(shop!, full);
    expect(status).toBe(200);
    const merchant = { accent_color: '#1d4ed8', logo_url: urlOf(logo) };
    expect(body).toEqual({
      node_id: shop!.nodeId,
      display_name: full.display_name,
      ...merchant,
      frame_origins: ['https://shop.example', 'https://xn--shp-hoa.example:8443'],
      merchant: { name: full.display_name, ...merchant },
      updated_at: expect.any(String),
    });
    expect((await read(shop!)).body).toEqual(body);
    // The same again changes nothing.
    expect((await set(shop!, full)).body).toEqual(body);
    const entries = await api.knex('audit_log').where({ action: 'branding.updated', resource_id: shop!.nodeId });
    expect(entries).toMatchObject([{ before: nothing, after: { display_name: full.display_name } }]);
  });

  it('keeps omitted members, and loses those that are null or empty', async () => {
    const { body } = await set(shop!, full);
    const named = await set(shop!, { display_name: 'Socks' });
    expect(named.body).toMatchObject({ logo_url: body.logo_url, accent_color: '#1d4ed8', display_name: 'Socks' });
    expect(named.body.frame_origins).toEqual(body.frame_origins);
    expect((await set(shop!, {})).body).toEqual(named.body);
    const plain = await set(shop!, { logo: null, accent_color: null });
    expect(plain.body).toMatchObject({ logo_url: null, accent_color: null, display_name: 'Socks' });
    const none = await set(shop!, { display_name: null, frame_origins: [] });
    expect(none.body).toMatchObject({ display_name: null, frame_origins: [], updated_at: null });
    expect(await api.knex('branding')).toEqual([]);
  });

  it('takes simultaneous changes of several members', async () => {
    await Promise.all([
      set(shop!, { display_name: 'Socks' }),
      set(shop!, { accent_color: '#000000' }),
      set(shop!, { logo: base64(logo) }),
      set(shop!, { frame_origins: ['https://shop.example'] }),
    ]);
    expect((await read(shop!)).body).toMatchObject({
      display_name: 'Socks',
      accent_color: '#000000',
      logo_url: urlOf(logo),
      frame_origins: ['https://shop.example'],
    });
  });

  it('is out of reach of others, and needs a permission that is not inherited', async () => {
    expect(codeOf(await read(rival!, shop!.nodeId))).toEqual([404, 'node_not_found']);
    expect(codeOf(await set(rival!, { display_name: 'Mine' }, shop!.nodeId))).toEqual([404, 'node_not_found']);
    expect(codeOf(await set(branch!, { display_name: 'Mine' }, shop!.nodeId))).toEqual([404, 'node_not_found']);
    expect((await set(root!, { display_name: 'Ours' }, shop!.nodeId)).status).toBe(200);
    const create = async (json: object): Promise<string[]> => {
      const path = '/api/v1/integrations';
      const { body } = await api.call('POST', path, { token: shop!.token, json: { node_id: shop!.nodeId, ...json } });
      return body.permissions;
    };
    expect(await create({ name: 'unnamed' })).not.toContain('branding.update');
    expect(await create({ name: 'named', permissions: ['branding.update'] })).toEqual(['branding.update']);
  });
});

describe('the merchant of a page', () => {
  it('is the nearest whole branding on the way to the root, or the name of the node without one', async () => {
    const bare = (name: string) => ({ name, accent_color: null, logo_url: null });
    expect(await merchantOf(branch!)).toEqual(bare('branch'));
    await set(root!, { display_name: 'Platform', accent_color: '#111111' });
    expect(await merchantOf(branch!)).toEqual({ ...bare('Platform'), accent_color: '#111111' });
    await set(shop!, { accent_color: '#222222' });
    expect(await merchantOf(branch!)).toEqual({ ...bare('branch'), accent_color: '#222222' });
    expect((await read(branch!)).body).toMatchObject({ display_name: null, merchant: { accent_color: '#222222' } });
    await set(branch!, { display_name: 'Branch' });
    expect(await merchantOf(branch!)).toEqual(bare('Branch'));
    expect(await merchantOf(shop!)).toEqual({ ...bare('shop'), accent_color: '#222222' });
  });
});

describe('the origins that may frame a page', () => {
  it('are those of the same branding, and none for an unknown id', async () => {
    await set(root!, { frame_origins: ['https://platform.example'] });
    const [own, foreign] = [await pay(branch!), await pay(rival!)];
    expect(await frameOriginsOf(api.knex, own.id)).toEqual(['https://platform.example']);
    await set(shop!, { frame_origins: ['https://shop.example', 'http://127.0.0.1:5173'] });
    expect(await frameOriginsOf(api.knex, own.id)).toEqual(['https://shop.example', 'http://127.0.0.1:5173']);
    await set(branch!, { display_name: 'Branch' });
    expect(await frameOriginsOf(api.knex, own.id)).toEqual([]);
    expect(await frameOriginsOf(api.knex, foreign.id)).toEqual(['https://platform.example']);
    expect(await frameOriginsOf(api.knex, shop!.nodeId)).toEqual([]);
  });

  it.each([
    ['a wildcard', 'https://*.shop.example'],
    ['everything', '*'],
    ['a scheme', 'https:'],
    ['a path', 'https://shop.example/pay'],
    ['a query', 'https://shop.example?a'],
    ['a user', 'https://a@shop.example'],
    ['http', 'http://shop.example'],
    ['a second source', 'https://shop.example https://rival.example'],
    ['a second directive', 'https://shop.example;script-src'],
    ['a comma', 'https://shop.example,rival.example'],
    ['a quote', "https://'self'"],
    ['a script', 'javascript:alert(1)'],
    ['data', 'data:text/html,a'],
    ['null', 'null'],
    ['an IPv6 address, which a policy cannot name', 'https://[2001:db8::1]'],
  ])('are never %s', async (_, origin) => {
    expect(await ruleOf({ frame_origins: ['https://shop.example', origin] }, 'frame_origins/1')).toMatch(/^must /);
  });

  it('are 20 at most', async () => {
    const origins = Array.from({ length: 21 }, (_, index) => `https://shop-${index}.example`);
    expect((await set(shop!, { frame_origins: origins.slice(1) })).body.frame_origins).toHaveLength(20);
    expect(await ruleOf({ frame_origins: origins }, 'frame_origins')).toBe('must have at most 20 items');
  });

  it('include no pages of this machine where webhooks may not call it', async () => {
    const strict = await startApi({ webhookHosts: 'public' });
    const { token, nodeId } = await strict.actor('shop');
    const json = { frame_origins: ['http://127.0.0.1:5173'] };
    const answer = await strict.call('PUT', pathOf(nodeId), { token, json });
    expect(pathsOf(answer)).toEqual(['/body/frame_origins/0']);
  });
});

describe('the name', () => {
  it('has 1 to 100 characters, counted as users do', async () => {
    expect((await set(shop!, { display_name: '🧦'.repeat(100) })).status).toBe(200);
    await ruleOf({ display_name: '🧦'.repeat(101) }, 'display_name');
    await ruleOf({ display_name: '' }, 'display_name');
  });

  it.each([
    '\u202Eevil',
    'a\u2066b',
    'a\u200Fb',
    'a\u061Cb',
    'a\nb',
    'a\u0007b',
    'a\u0085b',
    'a\u2028b',
    '  ',
    '\u200B',
    '\u3164',
    '\u115F\uFFA0',
    '\u2800',
  ])('is not %j', async (name) => {
    expect(await ruleOf({ display_name: name }, 'display_name')).toMatch(/^must hold /);
  });

  it.each(['A & B <b>', 'متجر', '店', 'Zoë’s', 'می\u200Cخواهم', '👩\u200D👧'])('may be %s', async (name) => {
    expect((await set(shop!, { display_name: name })).body.display_name).toBe(name);
  });
});

it.each(['1d4ed8', '#1d4', '#1d4ed8ff', '#1d4edg', 'red', '#1d4ed8;', ' #1d4ed8'])('no colour is %j', async (color) => {
  expect(await ruleOf({ accent_color: color }, 'accent_color')).toMatch(/colour|characters/);
});

describe('the logo', () => {
  const get = (image: Buffer, headers: Record<string, string> = {}) =>
    fetch(`${api.url}/pay/logos/${hashOf(image)}`, { headers });

  it('is served by its content to everybody, as an image and nothing else, for as long as a node has it', async () => {
    const image = png({ width: 1_024, height: 1_024 });
    expect((await get(image)).status).toBe(404);
    await Promise.all([set(shop!, { logo: base64(image) }), set(rival!, { logo: base64(image) })]);
    const answer = await get(image);
    expect(Buffer.from(await answer.arrayBuffer())).toEqual(image);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'image/png',
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      'cross-origin-resource-policy': 'cross-origin',
    });
    const again = await get(image, { 'if-none-match': answer.headers.get('etag')! });
    expect([again.status, await again.text()]).toEqual([304, '']);
    await set(shop!, { logo: null });
    expect((await get(image)).status).toBe(200);
    await set(rival!, { logo: base64(png()) });
    expect((await get(image)).status).toBe(404);
  });

  it('may be all that is left of a branding', async () => {
    const image = png();
    await set(shop!, { display_name: 'Socks', accent_color: '#1d4ed8', logo: base64(image) });
    const { status, body } = await set(shop!, { display_name: null, accent_color: null, frame_origins: [] });
    expect([status, body.logo_url, body.display_name]).toEqual([200, urlOf(image), null]);
  });

  it('is found by a whole hash in lower case only', async () => {
    const image = png();
    await set(shop!, { logo: base64(image) });
    for (const name of [hashOf(image).slice(1), hashOf(image).toUpperCase(), `${hashOf(image)}.png`, '%00', '..']) {
      expect((await fetch(`${api.url}/pay/logos/${name}`)).status).toBeGreaterThanOrEqual(400);
    }
  });

  const pixels = chunk('IDAT', Buffer.from([1]));
  const end = chunk('IEND');
  const broken = png();
  broken[broken.length - 20]! ^= 1;
  it.each<[string, Buffer, RegExp]>([
    ['a GIF', Buffer.from('GIF89a'), /must be a PNG image/],
    ['an SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>'), /must be a PNG image/],
    ['HTML behind a signature', Buffer.concat([signature, Buffer.from('<script>alert(1)</script>')]), /valid type/],
    ['a signature alone', signature, /must be a PNG image/],
    ['an image with a tail', Buffer.concat([png(), Buffer.from('<script>')]), /ends within a chunk/],
    ['an image with a second end', Buffer.concat([png(), end]), /one end chunk/],
    ['an image with a chunk after its end', Buffer.concat([png(), chunk('tEXt')]), /one end chunk/],
    ['an image that is cut off', png().subarray(0, -1), /ends within a chunk/],
    ['an image without an end', png().subarray(0, -12), /one end chunk/],
    ['an image with a wrong checksum', broken, /checksum of the chunk IDAT/],
    ['an image without a header', Buffer.concat([signature, pixels, end]), /begin with a header/],
    ['an image without pixels', Buffer.concat([signature, header(), end]), /pixels/],
    ['an image of no width', Buffer.concat([signature, header({ width: 0 }), pixels, end]), /no pixels/],
    ['an image that is too wide', png({ width: 1_025 }), /1024 pixels wide and high; it has 1025 × 2/],
    ['an image that is too high', png({ height: 1_025 }), /1024 pixels/],
    ['a header of 4 billion pixels', Buffer.concat([signature, header({ width: 2 ** 31 }), pixels, end]), /1024/],
    ['an unknown form', Buffer.concat([signature, header({ form: [8, 5, 0, 0, 0] }), pixels, end]), /form of pixels/],
    ['an unknown compression', Buffer.concat([signature, header({ form: [8, 6, 1, 0, 0] }), pixels, end]), /form/],
    [
      'an image without its palette',
      Buffer.concat([signature, header({ form: [8, 3, 0, 0, 0] }), pixels, end]),
      /palette/,
    ],
    [
      'an image whose pixels have a gap',
      Buffer.concat([signature, header(), pixels, chunk('tEXt'), pixels, end]),
      /run/,
    ],
    ['an animation', png({ more: [chunk('acTL', Buffer.alloc(8))] }), /still PNG/],
    ['an unknown critical chunk', png({ more: [chunk('EVIL')] }), /still PNG image: the chunk EVIL/],
    [
      'an image of 65,537 bytes',
      png({ more: [chunk('tEXt', Buffer.alloc(65_537 - png().length - 12))] }),
      /65536 bytes/,
    ],
  ])('is not %s', async (_, image, rule) => {
    expect(await ruleOf({ logo: base64(image) }, 'logo')).toMatch(rule);
  });

  it('may have 65,536 bytes, and texts and colours beside its pixels', async () => {
    const image = png({
      more: [chunk('gAMA', Buffer.alloc(4)), chunk('tEXt', Buffer.alloc(65_536 - png().length - 28))],
    });
    expect(image).toHaveLength(65_536);
    expect((await set(shop!, { logo: base64(image) })).body.logo_url).toBe(urlOf(image));
  });

  it.each(['data:image/png;base64,iVBORw0K', 'iVBORw0KGgo', 'iVBORw0KGgp=', 'iVBO\nRw0K', 'iVBO-w_K', '===='])(
    'is not the text %j',
    async (text) => {
      expect(await ruleOf({ logo: text }, 'logo')).toMatch(/base64/);
    },
  );

  it('may have thousands of chunks', async () => {
    const image = png({ more: Array.from({ length: 5_000 }, () => chunk('tEXt')) });
    const answers = await together(4, () => set(shop!, { logo: base64(image) }));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  });
});
