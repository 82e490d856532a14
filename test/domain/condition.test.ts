import { alertKinds } from '../../domain/alerts/alert.ts';
import { conditionKinds, conditions, type ConditionRow } from '../../domain/alerts/condition.ts';
import { incidentKinds } from '../../domain/alerts/incident.ts';
import { firstReason, orderedReasons, reasonOrder, waiting } from '../../domain/alerts/waiting.ts';
import { returnDetails, waitingDetails } from '../../domain/payment.ts';

const rows: readonly (readonly [string, ConditionRow])[] = Object.entries(conditions);

it('no kind is a condition and an incident', () => {
  expect(alertKinds).toEqual([...conditionKinds, ...incidentKinds]);
  expect(new Set(alertKinds).size).toBe(alertKinds.length);
});

it('each waiting reason is explained by one condition, except those that end by themselves or with a deployment', () => {
  const explained = rows.flatMap(([, { details = [] }]) => details);
  expect(new Set(explained).size).toBe(explained.length);
  const own = waitingDetails.filter((detail) => !explained.includes(detail));
  expect(own).toEqual(['diamond_missing', 'diamond_updating', 'former_choice_open']);
  expect(waitingDetails.map((detail) => [detail, waiting[detail].meaning !== ''])).toEqual(
    waitingDetails.map((detail) => [detail, true]),
  );
  expect(waiting.operator_revoked).toMatchObject({ alert: 'role_missing', remedy: conditions.role_missing.remedy });
});

it('each waiting reason has one place in the order, and the first of several is shown', () => {
  expect(reasonOrder.toSorted()).toEqual([...waitingDetails, ...returnDetails].toSorted());
  expect(Object.keys(waiting)).toEqual(orderedReasons);
  for (const [place, reason] of orderedReasons.entries()) {
    const later = orderedReasons.slice(place);
    expect(firstReason([null, ...later.toReversed()])).toBe(reason);
    expect(later.map((other) => firstReason([other, reason]))).toEqual(later.map(() => reason));
  }
  expect(firstReason([null])).toBeNull();
});

it.each(rows)(
  '%s has its words in whole sentences, without the end of a cell',
  (_, { meaning, remedy, ends, after }) => {
    for (const text of [meaning, remedy, ends]) expect(text).toMatch(/^[A-Z`].*\.$/);
    expect([meaning, remedy, ends, after].join('')).not.toContain('|');
    expect(meaning.split(' ').length).toBeLessThanOrEqual(60);
  },
);
