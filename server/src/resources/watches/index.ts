import type { Operation } from '../../api/declare/operation.ts'
import { retrieveProjectWatch } from './retrieve_project.ts'
import { retrieveTaskWatch } from './retrieve_task.ts'
import { setProjectWatch } from './set_project.ts'
import { setTaskWatch } from './set_task.ts'

export const watches: readonly Operation[] = [retrieveTaskWatch, setTaskWatch, retrieveProjectWatch, setProjectWatch]
