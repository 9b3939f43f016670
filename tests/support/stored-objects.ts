import { demoId, demoPerson } from '#server/demo-ids.ts';
import type { RestRoute } from '#server/rest/route.ts';

/** Objects of Iron Temple and of its member Maya, by the beginning of the paths that name them. */
export const OBJECTS: Readonly<Record<string, string>> = {
  '/users/:id': demoPerson('maya@iron.test').id,
  '/users/imports/:id': demoId('101', 1),
  '/history/:userId': demoPerson('maya@iron.test').id,
  '/locations/:id': demoId('301', 1),
  '/check-ins/:id': demoId('303', 1),
  '/challenges/:id': demoId('302', 1),
  '/announcements/:id': demoId('304', 1),
  '/posts/:id': demoId('305', 1),
  '/log/:id': demoId('410', 11),
  '/foods/:id': demoId('411', 1),
};

/** The beginning of the path that names one of the objects, e.g. `/locations/:id` of `/locations/:id/occupancy`. */
export const objectIn = ({ path }: RestRoute<never>): string | undefined => {
  const [prefix = ''] = /^(?:\/[\w-]+)+\/:\w+/.exec(path) ?? [];
  return prefix in OBJECTS ? prefix : undefined;
};
