/** A bucket as the destination of a continuous backup. */
import { type Destination, DestinationUnavailable } from '../db/backup/follow/destination.ts'
import { type BucketSettings, ContentBucket } from './bucket.ts'
import { ContentUnavailable } from './content-store.ts'

export class BucketDestination implements Destination {
  readonly place: string
  readonly isLocal = false
  private readonly bucket: ContentBucket

  constructor(settings: BucketSettings) {
    this.bucket = new ContentBucket(settings)
    this.place = this.bucket.place
  }

  put(name: string, bytes: Buffer): Promise<void> {
    return available(() => this.bucket.putBytes(name, bytes))
  }

  get(name: string): Promise<Buffer | null> {
    return available(() => this.bucket.readBytes(name))
  }

  list(folder: string): Promise<string[]> {
    return available(() => this.bucket.list(folder))
  }

  remove(name: string): Promise<void> {
    return available(() => this.bucket.remove(name))
  }

  // A bucket shows no part of an object that is not whole.
  removeUnfinished(): Promise<number> {
    return Promise.resolve(0)
  }
}

async function available<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof ContentUnavailable)) throw error
    throw new DestinationUnavailable(error.message, { cause: error })
  }
}
