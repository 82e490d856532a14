import type { AlertKind } from './alert.ts';

/**
 * What shows an alert's cause besides the alert: metrics, commands, rules of Prometheus. The first table of docs/operations/faults.md and the
 * rules of install/monitoring/rules.yml that have a condition are made of it. What Carat cannot see itself stands there by hand.
 */

/** A fault that test/faults plays, and what tells of it beside the alert. */
interface Fault {
  readonly fault: string;
  /** A query that has a result only while the fault lasts. Default: the count of open alerts of the kind. */
  readonly metric?: string;
  /** Further alerts that tell of it. */
  readonly with?: readonly AlertKind[];
  /** The command that names it. Default: `carat alerts`. */
  readonly command?: string;
}

/** A rule of Prometheus, which fires where nobody is left to send the alert. */
interface Rule {
  readonly name: string;
  /** Why the query is as it is. */
  readonly why?: string;
  readonly expr: string;
  /** For how long the query has results before the rule fires. Default: at once. */
  readonly for?: string;
  readonly severity: 'page' | 'ticket';
  readonly summary: string;
}

export interface Sign {
  readonly faults?: readonly Fault[];
  readonly rule?: Rule;
}

/** By the kind of the alert. */
export const signs: { readonly [Kind in AlertKind]?: Sign } = {
  workers_gone: {
    faults: [{ fault: 'no worker', metric: 'max(carat_processes{kind="worker"}) == 0', command: 'carat status' }],
    rule: {
      name: 'CaratNoWorker',
      why: `A database that takes no signs of life has a rule of its own, which names the cause.
An api that has just started is there before the workers, as at each start of the composition, unless the one before it
had not seen a worker either. An api that restarts is missed for less than a minute.`,
      expr: `max by (installation) (last_over_time(carat_processes{kind="worker",job="carat-api"}[1m]) or carat_processes{kind="worker"}) == 0
  and on (installation) (
    time() - min by (installation) (process_start_time_seconds{job="carat-api"}) > 60
      or max by (installation) (max_over_time(carat_processes{kind="worker"}[2m] offset 1m)) == 0
  )
  unless on (installation) max by (installation) (carat_database_refuses) == 1`,
      severity: 'page',
      summary: 'No worker has shown a sign of life for 30 seconds. Nothing is sent, and nothing is seen.',
    },
  },
  temporal_unreachable: {
    faults: [{ fault: 'no Temporal', metric: 'max(carat_temporal_answer_age_seconds) > 30', command: 'carat doctor' }],
    rule: {
      name: 'CaratTemporalSilent',
      expr: 'max by (installation) (carat_temporal_answer_age_seconds) > 30 unless on (installation) max by (installation) (carat_database_refuses) == 1',
      severity: 'page',
      summary: 'Temporal has not answered for 30 seconds. Accepted commands wait.',
    },
  },
  chore_failing: { faults: [{ fault: 'lost search attribute', command: 'carat doctor' }] },
  network_unreachable: {
    faults: [
      { fault: 'no endpoint', metric: 'max by (network) (carat_watcher_lag_seconds) > 25', command: 'carat doctor' },
    ],
  },
  network_halted: {
    rule: {
      name: 'CaratNetworkHalted',
      expr: 'max by (installation, network) (carat_network_halted) == 1',
      severity: 'page',
      summary: 'The endpoints of {{ $labels.network }} serve another chain than the stored one.',
    },
  },
  endpoint_at_rest: {
    faults: [{ fault: 'one lying endpoint', metric: 'carat_endpoint_demoted == 1' }, { fault: 'a stale endpoint' }],
    rule: {
      name: 'CaratEndpointDemoted',
      expr: 'max by (installation, network, endpoint) (carat_endpoint_demoted) == 1',
      for: '30m',
      severity: 'ticket',
      summary: 'RPC endpoint {{ $labels.endpoint }} of {{ $labels.network }} has been asked last for half an hour.',
    },
  },
  lane_paused: {
    rule: {
      name: 'CaratLanePaused',
      expr: 'max by (installation, network, role, lane) (carat_lane_paused) == 1',
      severity: 'page',
      summary: 'The lane {{ $labels.lane }} on {{ $labels.network }} is paused.',
    },
  },
  operator_underfunded: {
    faults: [
      {
        fault: 'no funds of an operator',
        metric: 'carat_lane_transactions_left{role="operator"} < 1',
        with: ['operator_low'],
        command: 'carat doctor',
      },
    ],
  },
  operator_low: {
    faults: [
      {
        fault: 'no funds of an upgrader',
        metric: 'carat_lane_transactions_left{role="upgrader"} < 1',
        command: 'carat doctor',
      },
    ],
  },
  role_missing: {
    faults: [{ fault: 'key without a role', with: ['role_not_asked_for'], command: 'carat doctor' }],
  },
  key_missing: { faults: [{ fault: 'key without a holder', command: 'carat doctor' }] },
  fees_above_ceiling: {
    faults: [{ fault: 'fee spike', metric: 'carat_payments_open{detail="fees_above_ceiling"} > 0' }],
  },
  deep_reorganisation: {
    faults: [{ fault: 'deep reorganisation', metric: 'increase(carat_reorganised_blocks_total[1m]) > 2' }],
  },
  clock_wrong: {
    faults: [
      { fault: 'clock off by five minutes', metric: 'abs(carat_clock_ahead_seconds) > 30' },
      {
        fault: 'clock of the whole machine off by five minutes',
        metric: 'abs(carat_clock_ahead_of_outside_seconds) > 30',
      },
    ],
    rule: {
      name: 'CaratClockWrong',
      why: 'The second part is for a machine that has api, worker and database, whose clocks are wrong together.',
      expr: 'abs(carat_clock_ahead_seconds) > 30 or abs(carat_clock_ahead_of_outside_seconds) > 30',
      severity: 'page',
      summary:
        "The clock of {{ $labels.job }} at {{ $labels.instance }} differs by more than 30 seconds from the database's, or from those of most RPC endpoints.",
    },
  },
  certificate_ends: {
    faults: [{ fault: 'expired certificate', metric: 'carat_certificate_seconds_left < 0', command: 'carat doctor' }],
    rule: {
      name: 'CaratCertificateEnded',
      expr: 'min by (installation, certificate) (carat_certificate_seconds_left) < 0',
      severity: 'page',
      summary: 'The certificate {{ $labels.certificate }} has ended.',
    },
  },
};
