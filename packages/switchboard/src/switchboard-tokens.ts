import { token } from '@bellhop/kernel';
import type { Doorbell } from './doorbell/doorbell.js';
import type { NotifyDispatcher } from './notify/notify-dispatcher.js';

/** Where attached consumers are rung, for a host that serves them. */
export const DOORBELL = token<Doorbell>('DOORBELL');
/** For its counters. */
export const NOTIFY_DISPATCHER = token<NotifyDispatcher>('NOTIFY_DISPATCHER');
