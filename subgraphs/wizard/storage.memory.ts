import { EventEmitter } from 'node:events';
import { memoryReservationStore } from './availability/reservation-store.memory.ts';
import { memorySessionStore } from './sessions/session-store.memory.ts';
import type { WizardStorage } from './storage.ts';

/** In this process, gone with it. */
export function memoryStorage(): WizardStorage {
  const events = new EventEmitter().setMaxListeners(0);
  const sessions = memorySessionStore((sessionId) => void events.emit('change', sessionId));
  const reservations = memoryReservationStore();
  return {
    isInMemory: true,
    sessions: () => sessions,
    reservations: () => reservations,
    transaction: (_unit, work) => work(),
    onSessionChange(hear) {
      events.on('change', hear);
      return () => events.off('change', hear);
    },
  };
}
