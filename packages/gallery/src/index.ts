// Exact nearest-neighbor index over face embeddings.
export { bytesPerVector } from './block.ts';
export { createGalleryEngine, type GalleryEngineOptions } from './engine.ts';
export {
  compareHits,
  type Gallery,
  type GalleryEngine,
  type Hit,
  MAX_DIMENSIONS,
  MIN_DIMENSIONS,
  type SearchOptions,
} from './gallery.ts';
