export { parseDatabaseUrl, redactUrl } from './database-url.js';
export { defineStatement, type StatementDefinition } from './define-statement.js';
export { GroupCommit, type GroupCommitOptions } from './group-commit.js';
export { checkName, checkPayload, checkText, stripText } from './input-limits.js';
export { bothFamilies, inJsonTexts, type JsonColumns, joinLookUp, jsonRows, type LookUp } from './json-rows.js';
export { openStore, type StorePorts } from './open-store.js';
export { type FaultKind, faultKind } from './store-faults.js';
export { type StoreOptions, storeOptionsSchema } from './store-options.js';
export { storePlugin } from './store-plugin.js';
