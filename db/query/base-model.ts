import objection, { type Page, type PartialModelObject } from 'objection';
import { isUniqueViolation } from './errors.ts';

/** Restricts a list to a part of the tree. */
export interface NodeFilter {
  readonly nodeId: string;
  readonly includeDescendants: boolean;
}

/** Restricts a list by creation time: from the first instant (inclusive) to the second (exclusive). */
export interface CreatedFilter {
  readonly createdFrom?: Date | undefined;
  readonly createdTo?: Date | undefined;
}

/** Removes Objection's wrapper from errors of the driver. */
const unwrapped = (error: unknown): unknown => (error instanceof objection.DBError ? error.nativeError : error);

/** The database's clock, which advances within a transaction. */
const clock = (): objection.RawBuilder => objection.raw('clock_timestamp()');

/** A query builder with the conditions that all resources share. Errors are those of the driver. */
export class BaseQueryBuilder<M extends objection.Model, R = M[]> extends objection.QueryBuilder<M, R> {
  declare ArrayQueryBuilderType: BaseQueryBuilder<M>;
  declare SingleQueryBuilderType: BaseQueryBuilder<M, M>;
  declare MaybeSingleQueryBuilderType: BaseQueryBuilder<M, M | undefined>;
  declare NumberQueryBuilderType: BaseQueryBuilder<M, number>;
  declare PageQueryBuilderType: BaseQueryBuilder<M, Page<M>>;

  /** Omits deleted rows. */
  live(): this {
    return this.whereNull('deleted_at');
  }

  /** Keeps the rows of `scopeId` and of all nodes below it, which is the reach of a caller of that node. */
  inReach(scopeId: string): this {
    return this.whereRaw('EXISTS (SELECT 1 FROM nodes n WHERE n.id = ?? AND ?::uuid = ANY (n.path))', [
      this.nodeColumn(),
      scopeId,
    ]);
  }

  /** Keeps the rows of one node, optionally with all nodes below it. */
  ofNode({ nodeId, includeDescendants }: NodeFilter): this {
    return includeDescendants
      ? this.whereRaw('?? IN (SELECT id FROM nodes WHERE path @> ARRAY[?]::uuid[])', [this.nodeColumn(), nodeId])
      : this.where(this.nodeColumn(), nodeId);
  }

  /** Keeps the rows with these values. Ignores undefined ones. */
  matching(values: PartialModelObject<M>): this {
    return this.where(Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)));
  }

  /** Keeps the rows that were created in this period. */
  createdWithin({ createdFrom, createdTo }: CreatedFilter): this {
    if (createdFrom !== undefined) void this.where('created_at', '>=', createdFrom);
    return createdTo === undefined ? this : this.where('created_at', '<', createdTo);
  }

  /** Changes the found row and its `updated_at`, and returns it. */
  touch(changes: PartialModelObject<M>): this['SingleQueryBuilderType'] {
    return this.patch({ ...changes, updated_at: clock() } as PartialModelObject<M>)
      .returning('*')
      .first()
      .throwIfNotFound() as this['SingleQueryBuilderType'];
  }

  /** Marks the found row as deleted, and optionally erases columns. */
  softDelete(erased: PartialModelObject<M> = {}): this['NumberQueryBuilderType'] {
    const now = clock();
    return this.patch({ ...erased, deleted_at: now, updated_at: now } as PartialModelObject<M>);
  }

  /** Turns a violation of this constraint or unique index into a refusal. */
  refuseTwins(constraint: string, refusal: () => Error): this {
    return this.onError((error: unknown) => {
      throw isUniqueViolation(unwrapped(error), constraint) ? refusal() : error;
    });
  }

  override async execute(): Promise<R> {
    try {
      return await super.execute();
    } catch (error) {
      throw unwrapped(error);
    }
  }

  private nodeColumn(): string {
    return `${this.modelClass().tableName}.node_id`;
  }
}

/** Base class of the API's resources. */
export class BaseModel extends objection.Model {
  static override readonly QueryBuilder = BaseQueryBuilder;

  declare QueryBuilderType: BaseQueryBuilder<this>;
}

/** The base of a model whose rows have these fields, beside those that it declares. */
export const modelOf = <Row extends object>() =>
  BaseModel as Omit<typeof BaseModel, 'prototype'> & (new () => BaseModel & Row);
