import type { Access, operations } from '../generated/openapi-types.ts';
import type { ListBody } from './page.ts';

/** Parameters with defaults, which the validator fills in, so that a handler always has them. */
type Filled = 'page' | 'per_page' | 'include_descendants' | 'include_ended' | 'dry_run';

type Parameters<Given> = [Given] extends [undefined]
  ? Record<string, never>
  : NonNullable<Given> & Required<Pick<NonNullable<Given>, Extract<keyof NonNullable<Given>, Filled>>>;

type Body<Given> = [Given] extends [undefined]
  ? undefined
  : Given extends { content: infer Media }
    ? Media[keyof Media]
    : never;

/** A list is rendered while it is sent. */
type Sent<Body> = Body extends { items: (infer Item)[]; next_cursor: string | null } ? ListBody<Item> : Body;

/** One answer. Problems are thrown, not returned. */
type Result<Status, Response> = Response extends { content: infer Media }
  ? 'application/problem+json' extends keyof Media
    ? never
    : { status: Status; body: Sent<Media[Exclude<keyof Media, 'text/csv' | 'text/event-stream'>]> }
  : { status: Status; body: null };

/** True when an answer can be a file. */
type IsFile<Response> = Response extends { content: { 'text/csv': string } } ? true : never;

/** True when an answer can be a stream of events. */
type IsEvents<Response> = Response extends { content: { 'text/event-stream': string } } ? true : never;

/** The input of each operation's handler, and its possible answers besides thrown problems. */
export type Operations = {
  [Id in keyof operations]: {
    access: Access[Id];
    params: Parameters<operations[Id]['parameters']['path']>;
    query: Parameters<operations[Id]['parameters']['query']>;
    body: operations[Id] extends { requestBody: infer Given }
      ? Body<Given>
      : Body<NonNullable<operations[Id]['requestBody']>> | undefined;
    result: {
      [Status in keyof operations[Id]['responses']]: Result<Status, operations[Id]['responses'][Status]>;
    }[keyof operations[Id]['responses']];
    streams: {
      [Status in keyof operations[Id]['responses']]: IsFile<operations[Id]['responses'][Status]>;
    }[keyof operations[Id]['responses']];
    events: {
      [Status in keyof operations[Id]['responses']]: IsEvents<operations[Id]['responses'][Status]>;
    }[keyof operations[Id]['responses']];
  };
};
