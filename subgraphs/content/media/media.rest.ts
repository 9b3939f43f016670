import { z } from 'zod';
import type { FileContent } from '#server/files/file-storage.ts';
import { GYM_STAFF } from '#server/rest/callers.ts';
import { Reply, restRoute } from '#server/rest/route.ts';
import { idParams } from '#server/shapes.ts';
import { TAGS } from '../api-tags.ts';
import type { Exercises } from '../exercises/exercises.ts';
import { ExerciseShape } from '../exercises/exercises.shapes.ts';
import type { Products } from '../products/products.ts';
import { ProductShape } from '../products/products.shapes.ts';
import type { Workouts } from '../workouts/workouts.ts';
import { WorkoutRoutineShape } from '../workouts/workouts.shapes.ts';
import type { Media } from './media.ts';

const fileRoute = restRoute<{ media: Media }>(TAGS.pictures);
const contentRoute = restRoute<{ workouts: Workouts; exercises: Exercises }>(TAGS.pictures, 'content');
const shopRoute = restRoute<{ products: Products }>(TAGS.pictures, 'shop');

const upload = { field: 'image' };
const description = 'JPEG, PNG, WebP or AVIF, at most 10 MiB. It is stored in three sizes, without metadata.';

// The picture behind a name never changes, so caches may store it for ever.
const served = ({ stream, length, etag }: FileContent) =>
  new Reply(200, stream, {
    'Content-Type': 'image/webp',
    'Content-Length': String(length),
    ETag: etag,
    'Cache-Control': 'public, max-age=31536000, immutable',
  });

export const mediaRest = [
  fileRoute({
    method: 'GET',
    path: '/media/:file',
    operationId: 'getPicture',
    summary: 'A picture of a routine, exercise or product',
    auth: 'optional',
    params: z.object({
      file: z.string().meta({ description: 'The name of the file, from `image` or `images`.' }),
    }),
    query: z.object({
      size: z.enum(['small', 'medium', 'large'], 'expected small, medium or large').optional().meta({
        description:
          'Longest side: small 320, medium 800, large (default) 1600 pixels; never larger than the upload.',
      }),
    }),
    success: {
      status: 200,
      description: 'The picture. The picture behind a name never changes.',
      contentType: 'image/webp',
    },
    handler: async ({ params, query }, { media }) => served(await media.read(params.file, query.size)),
  }),
  contentRoute({
    method: 'POST',
    path: '/workouts/:id/image',
    operationId: 'setWorkoutPicture',
    summary: 'Set the picture of a routine',
    only: GYM_STAFF,
    description,
    auth: 'required',
    params: idParams,
    upload,
    success: { status: 201, description: 'The routine with its picture.', shape: WorkoutRoutineShape },
    errors: ['FORBIDDEN'],
    handler: ({ params, files: [file] }, { workouts }) => workouts.setImage(params.id, file?.bytes),
  }),
  contentRoute({
    method: 'POST',
    path: '/exercises/:id/image',
    operationId: 'setExercisePicture',
    summary: 'Set the picture of an exercise',
    only: GYM_STAFF,
    description,
    auth: 'required',
    params: idParams,
    upload,
    success: { status: 201, description: 'The exercise with its picture.', shape: ExerciseShape },
    errors: ['FORBIDDEN'],
    handler: ({ params, files: [file] }, { exercises }) => exercises.setImage(params.id, file?.bytes),
  }),
  shopRoute({
    method: 'POST',
    path: '/products/:id/images',
    operationId: 'addProductPicture',
    summary: 'Add a picture to a product',
    only: GYM_STAFF,
    description,
    auth: 'required',
    params: idParams,
    upload,
    success: { status: 201, description: 'The product with its pictures.', shape: ProductShape },
    errors: ['FORBIDDEN'],
    handler: ({ params, files: [file] }, { products }) => products.addImage(params.id, file?.bytes),
  }),
];
