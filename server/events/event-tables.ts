import type { MigrationDeclaration } from '../database/migration-declaration.ts';
import { Event, EventOutbox } from './event.entity.ts';
import { CreateEvents } from './migrations/20261123210000_events.ts';
import { EventTraces } from './migrations/20261124220000_event_traces.ts';

/** The entities that a service with events adds to its own in its `database.ts`. */
export const eventEntities = [EventOutbox, Event];

/**
 * The migrations that a service with events adds to its `migrations/index.ts`, at the position of the release in which it
 * got its first event. Never change a released migration: add another one.
 */
export const eventMigrations: MigrationDeclaration[] = [
  { name: '20261123210000_events', class: CreateEvents },
  { name: '20261124220000_event_traces', class: EventTraces },
];
