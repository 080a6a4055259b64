/** Limits of live boards. */
const KiB = 1024
const MiB = 1024 * KiB
const second_ms = 1000

export const room_limits = {
  /** Connections to one board in one process. */
  room_people_max: 100,
  /**
   * Of these, guests of links, so that a link in wrong hands does not keep members out. Like the number of all people it holds for
   * each process by itself: where several serve a board, it can have this number of guests on each of them.
   */
  room_guests_max: 25,
  /** One message of a client. */
  room_frame_bytes_max: 4 * MiB,
  /** The first message, before the client is known. */
  room_hello_bytes_max: 4 * KiB,
  room_hello_ms: 10 * second_ms,
  /** Messages of a client per second; as many as `room_burst_max` may come at once. */
  room_messages_per_second: 60,
  room_burst_max: 240,
  /** Messages over the limit after which a client is disconnected. */
  room_excess_max: 1000,
  /**
   * Characters of a client's messages per second; a whole frame may come at once. What comes faster is read later: parsing and checking
   * four million characters took up to 0.7 s (two cores, 2026-11).
   */
  room_chars_per_second: 2 * MiB,
  /** Arrays and objects of a message; the points of freehand lines are arrays. */
  room_containers_max: 400_000,
  /** How often a room looks for changes of other processes. */
  room_poll_ms: 100,
  /** How often a process sends other processes where its people point. */
  room_notes_ms: 100,
  /** How often it repeats who its people are… */
  room_people_repeat_ms: 5 * second_ms,
  /** …and how long others wait for that before they forget them. */
  room_people_silent_ms: 15 * second_ms,
  /** People of other processes that a room shows. */
  room_people_elsewhere_max: 1000,
  /** Characters of the ids of selected elements that other processes get with a pointer. */
  room_note_selection_chars: 1000,
  /** Changes that share a transaction. */
  room_batch_max: 100,
  /** Bytes that a client has not read: pointers are left out from the first on, it is disconnected at the second. */
  room_behind_bytes: 256 * KiB,
  room_behind_bytes_max: 24 * MiB,
  room_ping_ms: 15 * second_ms,
  room_credential_check_ms: 30 * second_ms,
  /** How soon the connections end of a revoked or ended link, and of a guest whose project was taken away. */
  room_guest_check_ms: 2 * second_ms,
  /** Selected elements that a pointer message may name. */
  room_selection_max: 200,
} as const
