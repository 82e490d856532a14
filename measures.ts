import { channel } from 'node:diagnostics_channel';

/** Occurrences that the metrics of a process count. A part reports them; without metrics nobody listens. */
export interface Measures {
  /** A request was answered, or its client has left. */
  readonly request: {
    /** Null for a route that does not exist. */
    readonly operation: string | null;
    /** Null when the client left before the end of the answer. */
    readonly status: number | null;
    readonly seconds: number;
    /** True for a stream of events, whose length says nothing about the api. */
    readonly isStream: boolean;
  };
  /** A stream of events has begun or ended. */
  readonly streams: { readonly open: number };
}

const channelOf = (name: keyof Measures) => channel(`carat:${name}`);

const channels: Readonly<Record<keyof Measures, ReturnType<typeof channel>>> = {
  request: channelOf('request'),
  streams: channelOf('streams'),
};

/** Reports an occurrence. Costs next to nothing while nobody listens. */
export const measure = <Name extends keyof Measures>(name: Name, measured: Measures[Name]): void => {
  if (channels[name].hasSubscribers) channels[name].publish(measured);
};

/** Calls the listener for each occurrence in this process, from now on. */
export const onMeasure = <Name extends keyof Measures>(name: Name, listen: (measured: Measures[Name]) => void): void =>
  channels[name].subscribe((measured) => listen(measured as Measures[Name]));
