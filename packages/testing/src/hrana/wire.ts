/**
 * The JSON bodies of Hrana over HTTP, versions 2 and 3, as `@libsql/client` writes and reads them. Types only: what is done with a body
 * lives in `pipeline.ts`.
 */

/** An integer travels as a decimal string, because JSON numbers lose the upper bits of 64. */
export type HranaValue =
  | { readonly type: 'null' }
  | { readonly type: 'integer'; readonly value: string }
  | { readonly type: 'float'; readonly value: number }
  | { readonly type: 'text'; readonly value: string }
  | { readonly type: 'blob'; readonly base64: string };

export interface HranaSql {
  readonly sql?: string | null;
  readonly sql_id?: number | null;
}

export interface HranaStatement extends HranaSql {
  readonly args?: readonly HranaValue[];
  readonly named_args?: readonly { readonly name: string; readonly value: HranaValue }[];
  /** Default true. */
  readonly want_rows?: boolean | null;
}

export type HranaCondition =
  | { readonly type: 'ok'; readonly step: number }
  | { readonly type: 'error'; readonly step: number }
  | { readonly type: 'not'; readonly cond: HranaCondition }
  | { readonly type: 'and'; readonly conds: readonly HranaCondition[] }
  | { readonly type: 'or'; readonly conds: readonly HranaCondition[] }
  | { readonly type: 'is_autocommit' };

export interface HranaBatch {
  readonly steps: readonly { readonly condition?: HranaCondition | null; readonly stmt: HranaStatement }[];
}

export type HranaRequest =
  | { readonly type: 'execute'; readonly stmt: HranaStatement }
  | { readonly type: 'batch'; readonly batch: HranaBatch }
  | ({ readonly type: 'sequence' } & HranaSql)
  | ({ readonly type: 'describe' } & HranaSql)
  | { readonly type: 'store_sql'; readonly sql_id: number; readonly sql: string }
  | { readonly type: 'close_sql'; readonly sql_id: number }
  | { readonly type: 'get_autocommit' }
  | { readonly type: 'close' };

export interface HranaPipelineRequest {
  readonly baton?: string | null;
  readonly requests: readonly HranaRequest[];
}

export interface HranaStatementResult {
  readonly cols: readonly { readonly name: string; readonly decltype: string | null }[];
  readonly rows: readonly (readonly HranaValue[])[];
  readonly affected_row_count: number;
  readonly last_insert_rowid: string | null;
}

export interface HranaErrorBody {
  readonly message: string;
  readonly code: string;
}

export interface HranaBatchResult {
  readonly step_results: readonly (HranaStatementResult | null)[];
  readonly step_errors: readonly (HranaErrorBody | null)[];
}

export type HranaResponse =
  | { readonly type: 'execute'; readonly result: HranaStatementResult }
  | { readonly type: 'batch'; readonly result: HranaBatchResult }
  | {
      readonly type: 'describe';
      readonly result: {
        readonly params: readonly { readonly name: string | null }[];
        readonly cols: readonly { readonly name: string; readonly decltype: string | null }[];
        readonly is_explain: boolean;
        readonly is_readonly: boolean;
      };
    }
  | { readonly type: 'get_autocommit'; readonly is_autocommit: boolean }
  | { readonly type: 'sequence' | 'store_sql' | 'close_sql' | 'close' };

export type HranaResult =
  | { readonly type: 'ok'; readonly response: HranaResponse }
  | { readonly type: 'error'; readonly error: HranaErrorBody };

/** The request breaks the protocol: answered with HTTP 400 and closes the stream. */
export class HranaProtocolError extends Error {
  override readonly name = 'HranaProtocolError';
}

/** The stream was closed for inactivity: answered with HTTP 500 and a JSON body. A correct client meets this too. */
export class HranaStreamExpiredError extends Error {
  override readonly name = 'HranaStreamExpiredError';
  readonly code = 'STREAM_EXPIRED';

  constructor() {
    super('The stream has expired due to inactivity');
  }
}

/** A statement failed: an error result inside an HTTP 200, as SQLite's errors are. */
export class HranaStatementError extends Error {
  override readonly name = 'HranaStatementError';
  readonly code: string;

  constructor(code: string, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.code = code;
  }

  get body(): HranaErrorBody {
    return { message: this.message, code: this.code };
  }
}
