import type { OnlineUserShape, OnlineUsersUpdate } from '../presence/presence.shapes.ts';

/** A frame to a client. */
interface OutgoingFrame {
  event: string;
  id?: string | number;
  data: unknown;
  seq?: number;
}

export const frameText = (frame: OutgoingFrame): string => JSON.stringify(frame);

/** The answer to a frame that succeeded, with the server's time, by which a client sets its clock. */
export function ackText(id: string | number, data: object): string {
  const serverTime = new Date().toISOString();
  if (!isPresence(data)) return frameText({ event: 'ack', id, data: { ...data, serverTime } });
  return `{"event":"ack","id":${JSON.stringify(id)},"data":{${listsOf(data).text},"seq":${data.seq},"serverTime":"${serverTime}"}}`;
}

/**
 * The text of an `online_users_updated` frame. Many clients of a gym get the same lists, and only `seq` differs: the lists are
 * serialised once for all of them, and the entry of a user in them is serialised again only after it has changed.
 */
export function onlineUsersFrame(update: OnlineUsersUpdate): Buffer {
  const lists = listsOf(update);
  lists.frameStart ??= Buffer.from(`{"event":"online_users_updated","data":{${lists.text}`);
  return Buffer.concat([lists.frameStart, Buffer.from(`,"seq":${update.seq}},"seq":${update.seq}}`)]);
}

interface Lists {
  readonly text: string;
  frameStart?: Buffer;
}

/** The key is the array `users`: updates with the same array also have the same `removed` and `full`. */
const knownLists = new WeakMap<readonly OnlineUserShape[], Lists>();
const userTexts = new WeakMap<OnlineUserShape, string>();

const isPresence = (data: object): data is OnlineUsersUpdate => 'seq' in data && 'full' in data;

function listsOf({ users, removed, full }: OnlineUsersUpdate): Lists {
  const known = knownLists.get(users);
  if (known) return known;
  const text = `"users":[${users.map(userText).join(',')}],"removed":${JSON.stringify(removed)},"full":${full}`;
  const lists: Lists = { text };
  knownLists.set(users, lists);
  return lists;
}

function userText(user: OnlineUserShape): string {
  const known = userTexts.get(user);
  if (known !== undefined) return known;
  const text = JSON.stringify(user);
  userTexts.set(user, text);
  return text;
}
