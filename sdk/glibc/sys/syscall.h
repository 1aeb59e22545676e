/* Tests include it, and those that apply call nothing of it. */
