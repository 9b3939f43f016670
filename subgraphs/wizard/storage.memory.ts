import { EventEmitter } from 'node:events';
import { memoryReservationStore } from './availability/reservation-store.memory.ts';
import { memorySessionStore } from './sessions/session-store.memory.ts';
import type { WizardStorage } from './storage.ts';

/** Stores sessions and reservations in the memory of this process; they are lost when it ends. */
export function memoryStorage(): WizardStorage {
  const events = new EventEmitter().setMaxListeners(0);
  const sessions = memorySessionStore((sessionId) => void events.emit('change', sessionId));
  const reservations = memoryReservationStore(sessions);
  return {
    isInMemory: true,
    sessions: () => sessions,
    reservations: () => reservations,
    transaction: (_unit, work) => work(),
    onSessionChange(listener) {
      events.on('change', listener);
      return () => events.off('change', listener);
    },
  };
}
