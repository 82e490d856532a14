import objection, { type Page, type PartialModelObject } from 'objection';
import { isUniqueViolation } from './violations.ts';

/** Which part of the tree a list is about. */
export interface NodeFilter {
  readonly nodeId: string;
  readonly includeDescendants: boolean;
}

/** When the rows of a list were created: from the first instant on, and before the second. */
export interface CreatedFilter {
  readonly createdFrom?: Date | undefined;
  readonly createdTo?: Date | undefined;
}

/** Objection wraps what the driver says; nothing of Carat wants the wrapping. */
const unwrapped = (error: unknown): unknown => (error instanceof objection.DBError ? error.nativeError : error);

/** The database's own clock, which runs on within a transaction. */
const clock = (): objection.RawBuilder => objection.raw('clock_timestamp()');

/** A query in the words that all resources share: reach, life and time. Errors are those of the driver. */
export class BaseQueryBuilder<M extends objection.Model, R = M[]> extends objection.QueryBuilder<M, R> {
  declare ArrayQueryBuilderType: BaseQueryBuilder<M>;
  declare SingleQueryBuilderType: BaseQueryBuilder<M, M>;
  declare MaybeSingleQueryBuilderType: BaseQueryBuilder<M, M | undefined>;
  declare NumberQueryBuilderType: BaseQueryBuilder<M, number>;
  declare PageQueryBuilderType: BaseQueryBuilder<M, Page<M>>;

  /** Leaves out what was deleted. */
  live(): this {
    return this.whereNull('deleted_at');
  }

  /** Keeps the rows of `scopeId` and of all nodes below it: what a caller of that node can reach. */
  inReach(scopeId: string): this {
    return this.whereRaw('EXISTS (SELECT 1 FROM nodes n WHERE n.id = ?? AND ?::uuid = ANY (n.path))', [
      this.nodeColumn(),
      scopeId,
    ]);
  }

  /** Keeps the rows of one node, or also those of all nodes below it. */
  ofNode({ nodeId, includeDescendants }: NodeFilter): this {
    return includeDescendants
      ? this.whereRaw('?? IN (SELECT id FROM nodes WHERE path @> ARRAY[?]::uuid[])', [this.nodeColumn(), nodeId])
      : this.where(this.nodeColumn(), nodeId);
  }

  /** Keeps the rows with these values; undefined asks for nothing. */
  matching(values: PartialModelObject<M>): this {
    return this.where(Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)));
  }

  /** Keeps the rows that were created in this time. */
  createdWithin({ createdFrom, createdTo }: CreatedFilter): this {
    if (createdFrom !== undefined) void this.where('created_at', '>=', createdFrom);
    return createdTo === undefined ? this : this.where('created_at', '<', createdTo);
  }

  /** Changes the row that was found and its `updated_at`, and answers what it has become. */
  touch(changes: PartialModelObject<M>): this['SingleQueryBuilderType'] {
    return this.patch({ ...changes, updated_at: clock() } as PartialModelObject<M>)
      .returning('*')
      .first()
      .throwIfNotFound() as this['SingleQueryBuilderType'];
  }

  /** Marks the row that was found as deleted, and maybe erases some of it. */
  softDelete(erased: PartialModelObject<M> = {}): this['NumberQueryBuilderType'] {
    const now = clock();
    return this.patch({ ...erased, deleted_at: now, updated_at: now } as PartialModelObject<M>);
  }

  /** Refuses a write that another row stands in the way of, by the constraint or unique index of that name. */
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

/** A row of a resource that the API reads and writes. */
export class BaseModel extends objection.Model {
  static override readonly QueryBuilder = BaseQueryBuilder;

  declare QueryBuilderType: BaseQueryBuilder<this>;
}
