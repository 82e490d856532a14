import { ApplicationFailure, CancelledFailure } from '@temporalio/activity';
import { toFailure, UnknownRecordError, withFailures } from '../../activities/failures.ts';
import { KeystoreError } from '../../chain/signing/keystore.ts';
import { LeaseLostError } from '../../domain/ports/lease.ts';

const failureOf = (error: unknown): ApplicationFailure => toFailure(error) as ApplicationFailure;

it('a failure is retried unless it is permanent', () => {
  expect(failureOf(new Error('connection refused')).nonRetryable).toBe(false);
  expect(failureOf(new TypeError('a defect')).nonRetryable).toBe(false);
  expect(failureOf(new UnknownRecordError('there is no network x')).nonRetryable).toBe(true);
});

it('a lost lease is benign', () => {
  expect(failureOf(new LeaseLostError('the lane'))).toMatchObject({ category: 'BENIGN', nonRetryable: false });
  expect(failureOf(new Error('other')).category).not.toBe('BENIGN');
});

it('a key that the worker lacks is benign at each attempt, because an alert names it once', () => {
  expect(failureOf(new KeystoreError('no key'))).toMatchObject({ category: 'BENIGN', nonRetryable: false });
});

it('a failure keeps its type, message and code, and nothing secret or endless', () => {
  const error = Object.assign(new Error(`no answer from https://rpc.example/key-123 ${'x'.repeat(2_000)}`), {
    code: 'ECONNREFUSED',
    cause: new Error('postgres://user:password@db'),
  });
  const failure = failureOf(error);
  expect(failure.type).toBe('Error');
  expect(failure.message).toContain('no answer from <url>');
  expect(failure.message.length).toBeLessThanOrEqual(500);
  expect(failure.cause).toBeUndefined();
  expect(`${failure.stack}`).not.toMatch(/key-123|password/);
  expect(failureOf(Object.assign(new Error('refused'), { code: '57P03' })).message).toBe('refused (57P03)');
});

it('cancellations and failures that are already decided pass unchanged', () => {
  const cancelled = new CancelledFailure('stop');
  const decided = ApplicationFailure.nonRetryable('no');
  expect(toFailure(cancelled)).toBe(cancelled);
  expect(toFailure(decided)).toBe(decided);
});

it('each activity of a record has its failures converted', async () => {
  const { ok, bad } = withFailures({
    ok: (value: number) => Promise.resolve(value + 1),
    bad: () => Promise.reject(new Error('see https://secret')),
  });
  expect(await ok(1)).toBe(2);
  await expect(bad()).rejects.toThrow('see <url>');
  await expect(bad()).rejects.toBeInstanceOf(ApplicationFailure);
});
