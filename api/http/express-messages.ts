import http from 'node:http';
import type { Express } from 'express';

/** With what Node makes requests and responses. */
export type MessageConstructors = Required<Pick<http.ServerOptions, 'IncomingMessage' | 'ServerResponse'>>;

type MessageConstructor = MessageConstructors[keyof MessageConstructors];

const withPrototype = <Made extends MessageConstructor>(constructor: Made, prototype: object): Made => {
  // Node's constructors are plain functions. Reflect.construct would do for classes too, and undo all that is won here.
  function Message(this: object, ...parameters: unknown[]): void {
    Reflect.apply(constructor, this, parameters);
  }
  Message.prototype = prototype;
  return Message as unknown as Made;
};

/**
 * Express changes the prototypes of every request and response that it gets, and whatever V8 has learned of such objects
 * is lost each time: everything that touches them is slow. Made with these prototypes, they are left as they are, and a
 * request takes a third less time.
 */
export const expressMessages = (app: Express): MessageConstructors => ({
  IncomingMessage: withPrototype(http.IncomingMessage, app.request),
  ServerResponse: withPrototype(http.ServerResponse, app.response),
});
