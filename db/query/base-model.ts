import objection, { type Page, type PartialModelObject } from 'objection';
import { isUniqueViolation } from './violations.ts';

/** The nodes of a list. */
export interface NodeFilter {
  readonly nodeId: string;
  readonly includeDescendants: boolean;
}

/** Creation time of a list's rows: from the first instant on, and before the second. */
export interface CreatedFilter {
  readonly createdFrom?: Date | undefined;
  readonly createdTo?: Date | undefined;
}

/** Carat uses the driver's errors, not Objection's wrappers. */
const unwrapped = (error: unknown): unknown => (error instanceof objection.DBError ? error.nativeError : error);

/** The database's clock, which advances within a transaction. */
const clock = (): objection.RawBuilder => objection.raw('clock_timestamp()');

/** A query with the conditions that all resources share: reach, deletion, time. It throws the driver's errors. */
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

  /** Keeps the rows of `scopeId` and of all nodes below it: the reach of a caller of that node. */
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

  /** Keeps the rows with these values; undefined values are ignored. */
  matching(values: PartialModelObject<M>): this {
    return this.where(Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)));
  }

  /** Keeps the rows created in this interval. */
  createdWithin({ createdFrom, createdTo }: CreatedFilter): this {
    if (createdFrom !== undefined) void this.where('created_at', '>=', createdFrom);
    return createdTo === undefined ? this : this.where('created_at', '<', createdTo);
  }

  /** Changes the found row and its `updated_at`, and returns the row. */
  touch(changes: PartialModelObject<M>): this['SingleQueryBuilderType'] {
    return this.patch({ ...changes, updated_at: clock() } as PartialModelObject<M>)
      .returning('*')
      .first()
      .throwIfNotFound() as this['SingleQueryBuilderType'];
  }

  /** Marks the found row as deleted, and erases these columns. */
  softDelete(erased: PartialModelObject<M> = {}): this['NumberQueryBuilderType'] {
    const now = clock();
    return this.patch({ ...erased, deleted_at: now, updated_at: now } as PartialModelObject<M>);
  }

  /** Throws this refusal where a constraint or unique index of that name rejects the write. */
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
