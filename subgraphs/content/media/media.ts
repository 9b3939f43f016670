import { notFound } from '#server/errors.ts';
import type { FileContent, FileStorage } from '#server/files/file-storage.ts';
import { reencoded } from '#server/files/images.ts';
import { uuidv7 } from '#server/ids.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';

/** Longest side in pixels. */
const MEDIA_SIZES = { small: 320, medium: 800, large: 1_600 } as const;
type MediaSize = keyof typeof MEDIA_SIZES;

/** A row with a path of its picture that the caller can request. */
export const withPublicImage = <Row extends { image: string | null }>(unit: UnitOfWork, row: Row): Row => ({
  ...row,
  image: unit.publicPath(row.image),
});

/** Pictures of routines, exercises and products. Each upload gets a name of its own, so the picture behind a name never changes. */
export class Media {
  private readonly files: FileStorage;

  constructor(files: FileStorage) {
    this.files = files;
  }

  /** Stores the picture in three sizes and returns its path. @throws the errors of `reencoded` */
  async store(bytes: Buffer): Promise<string> {
    const id = uuidv7();
    let source = bytes;
    for (const [size, maxSide] of Object.entries(MEDIA_SIZES).toReversed()) {
      const picture = await reencoded(source, { field: 'image', maxSide });
      await this.files.put(keyOf(id, size), picture.bytes, picture.contentType);
      source = picture.bytes; // the next smaller size is made from this one
    }
    return `/media/${id}.webp`;
  }

  /** @throws NOT_FOUND */
  async read(file: string, size: MediaSize = 'large'): Promise<FileContent> {
    const id = /^([0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12})\.webp$/.exec(file)?.[1];
    const picture = id && (await this.files.read(keyOf(id, size)));
    if (!picture) throw notFound('picture', file);
    return picture;
  }
}

const keyOf = (id: string, size: string): string => `media/${id}-${size}.webp`;
