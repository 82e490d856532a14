import { forgetOffers, distrustRecord, setWindow } from '../../../db/offers/record.ts';
import { eventually } from '../../support/eventually.ts';
import { startGateway, type Gateway, type TestPayment } from '../support/gateway.ts';
import { allAre, stopAfterEach } from '../support/running.ts';

/*
 * The clock of the database is wrong for a moment.
 */

let gateway: Gateway;
const keep = stopAfterEach();

/** Puts a clock before PostgreSQL's own, for all new connections. */
const installClock = async (): Promise<void> => {
  const { knex } = gateway;
  const { rows } = await knex.raw<{ rows: [{ name: string }] }>('SELECT current_database() AS name');
  await knex.raw(`
CREATE SCHEMA wrong;
CREATE TABLE wrong.clock AS SELECT 0 AS seconds;
CREATE FUNCTION wrong.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE AS $$
  SELECT pg_catalog.clock_timestamp() + make_interval(secs => (SELECT seconds FROM wrong.clock)) $$;
ALTER DATABASE "${rows[0].name}" SET search_path = wrong, pg_catalog, public;`);
  await knex.raw(
    'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
  );
  await knex.raw('SELECT pg_terminate_backend(pg_backend_pid())').catch(() => undefined);
  await eventually(() => knex('wrong.clock').first());
};
const setAhead = (seconds: number): Promise<unknown> => gateway.knex('wrong.clock').update({ seconds });

beforeAll(async () => {
  gateway = await startGateway({ confirmations: 2, signers: ['signer'] });
  await installClock();
  await distrustRecord(gateway.knex, 900);
  await setWindow(gateway.knex, 900);
});
afterAll(() => gateway.close());

it("a payment is payable again at once after the database's clock was an hour ahead for a moment", async () => {
  keep(gateway.startOffering());
  const [payment] = (await gateway.pay(1, { dealMode: 'offered', expiresIn: 90_000 })) as [TestPayment];
  await allAre(gateway, [payment], 'awaiting_payment');
  await setAhead(3_600);
  await forgetOffers(gateway.knex);
  await setAhead(0);
  expect(await eventually(() => gateway.reveal(payment), 20_000, 250)).toMatchObject({
    validUntil: expect.any(BigInt),
  });
});
