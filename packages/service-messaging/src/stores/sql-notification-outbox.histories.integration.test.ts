import { sqlOutboxConformance } from './sql-notification-outbox.fixture.js';

sqlOutboxConformance(['histories']);
