# make -f day.mk TODAY.new: the documents of TODAY.jsonl that repeat neither the archive nor each other
simgroup = simgroup $(allowed)
simindex = simindex add archive --unless-known --replace $(allowed)
dedup = dedup $(allowed)
commands = simgroup simindex dedup
include pipeline.mk

%.groups: %.pairs simgroup.how
	$(simgroup) -o $@ $<
# The pairs are written before the archive grows: only both together are done
%.known: %.sketch simindex.how
	$(simindex) --as $* -o $@.half $<
	mv $@.half $@
%.new: %.jsonl %.groups %.known dedup.how
	$(dedup) --groups $*.groups --known $*.known -o $@ $<
