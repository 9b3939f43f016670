import { eventRetention } from '#server/events/event-retention.ts';
import type { FileStorage } from '#server/files/file-storage.ts';
import { unusedFiles } from '#server/files/unused-files.ts';
import { removalsRetention } from '#server/references/removals.ts';
import type { RetentionRule } from '#server/retention/retention.ts';
import { usedPictures } from './media/used-pictures.ts';

export const contentRetention = (files: FileStorage): readonly RetentionRule[] => [
  removalsRetention,
  eventRetention,
  unusedFiles(files, usedPictures),
];
