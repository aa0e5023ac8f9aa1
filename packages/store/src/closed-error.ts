import { StoreError } from '@bellhop/kernel';

export function closedError(): StoreError {
  return new StoreError('STORE_CLOSED', 'The store is closed. Nothing was written.');
}
