# make -f day.mk TODAY.new: the documents of TODAY.jsonl that repeat neither the archive nor each other
simindex = simindex add archive --unless-known --replace $(allowed)
commands = simindex
include pipeline.mk

# The pairs are written before the archive grows: only both together are done
%.known: %.sketch simindex.how
	$(simindex) --as $* -o $@.half $<
	mv $@.half $@
%.new: %.jsonl %.pairs %.known dedup.how
	$(dedup) --pairs $*.pairs --known $*.known -o $@ $<
