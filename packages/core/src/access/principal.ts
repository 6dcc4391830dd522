// Who asks: an identity, and what it was granted. Plain data, so that it can be sealed into a job or a session.
import * as z from 'zod'

/** Levels of a namespace; it covers that namespace and every one below. No levels cover every namespace. */
const grant = z.array(z.string().min(1)).readonly()
export type Grant = z.infer<typeof grant>

export const principal = z.object({
  /** Stable, and unlike that of any other; tickets and handles are bound to it. null: nobody can sign in here. */
  id: z.string().min(1).nullable(),
  /** For people. */
  name: z.string().min(1).nullable(),
  grants: z.array(grant).readonly(),
})
export type Principal = z.infer<typeof principal>

/** Where no authentication is configured: everybody who reaches the server, which listens on loopback only. */
export const ANYBODY: Principal = { id: null, name: null, grants: [[]] }
