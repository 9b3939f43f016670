import { chats } from './chat/chat.journal.ts';
import { reports } from './chat/report.journal.ts';
import { gyms } from './gyms/gym.journal.ts';
import { squads } from './squads/squad.journal.ts';
import { names } from './users/names.journal.ts';
import { users } from './users/user.journal.ts';

/** All kinds of journals of this service. */
export const journalKinds = [squads, chats, reports, users, names, gyms] as const;
