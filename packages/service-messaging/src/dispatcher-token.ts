import { token } from '@bellhop/kernel';
import type { NotificationDispatcher } from './dispatcher/notification-dispatcher.js';

/** The dispatcher of this kernel, when it runs one: for its counters and for tests that tick by hand. */
export const NOTIFICATION_DISPATCHER = token<NotificationDispatcher>('NOTIFICATION_DISPATCHER');
