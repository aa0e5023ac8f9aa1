import { memoryOutboxConformance } from './memory-notification-outbox.fixture.js';

memoryOutboxConformance(['state-table']);
