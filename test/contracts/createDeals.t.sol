// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Deal, DealKey} from "../../contracts/interfaces/DealTypes.sol";
import {IDealFacet} from "../../contracts/interfaces/IDealFacet.sol";
import {Roles} from "../../contracts/libraries/Roles.sol";
import {CaratTest} from "./support/CaratTest.sol";

contract CreateDealsTest is CaratTest {
    function test_reverts_when_caller_is_no_operator() public {
        address[6] memory callers = [root, upgrader, guardian, buyer, stranger, address(this)];
        DealKey[] memory keys = keysOf(tokenDeal());
        for (uint256 i; i < callers.length; ++i) {
            vm.expectRevert(abi.encodeWithSelector(IDealFacet.NotOperator.selector, callers[i]));
            vm.prank(callers[i]);
            deals.createDeals(keys);
        }
    }

    function test_reverts_when_operator_was_revoked() public {
        vm.prank(guardian);
        registry.setRole(Roles.OPERATOR, operator, false);
        DealKey[] memory keys = keysOf(tokenDeal());
        vm.expectRevert(abi.encodeWithSelector(IDealFacet.NotOperator.selector, operator));
        vm.prank(operator);
        deals.createDeals(keys);
    }

    function test_reverts_when_paused() public {
        pause();
        DealKey[] memory keys = keysOf(tokenDeal());
        vm.expectRevert(IDealFacet.Paused.selector);
        vm.prank(operator);
        deals.createDeals(keys);
    }

    function test_stores_the_word_and_tells() public {
        Deal memory deal = tokenDeal();
        bytes32 terms = deals.termsHash(deal);
        vm.expectEmit(true, true, true, true, diamond);
        emit IDealFacet.DealCreated(ID, terms);
        open(deal);
        assertEq(wordOf(ID), word(terms, 1));
    }

    function test_same_terms_again_change_nothing() public {
        Deal memory deal = tokenDeal();
        open(deal);
        vm.recordLogs();
        open(deal);
        assertEq(vm.getRecordedLogs().length, 0);
        assertEq(wordOf(ID), word(deals.termsHash(deal), 1));
    }

    function test_same_terms_after_payment_change_nothing() public {
        Deal memory deal = tokenDeal();
        open(deal);
        vm.prank(buyer);
        deals.payToken(deal);
        vm.recordLogs();
        open(deal);
        assertEq(vm.getRecordedLogs().length, 0);
        assertEq(wordOf(ID), word(deals.termsHash(deal), 2));
    }

    function test_other_terms_are_a_conflict_and_change_nothing() public {
        Deal memory deal = tokenDeal();
        open(deal);
        bytes32 held = wordOf(ID);
        deal.amount = 1;
        bytes32 terms = deals.termsHash(deal);
        vm.expectEmit(true, true, true, true, diamond);
        emit IDealFacet.DealConflict(ID, held, terms);
        open(deal);
        assertEq(wordOf(ID), held);
    }

    function test_other_terms_of_a_paid_deal_are_a_conflict() public {
        Deal memory deal = tokenDeal();
        open(deal);
        vm.prank(buyer);
        deals.payToken(deal);
        bytes32 held = wordOf(ID);
        deal.payee = stranger;
        bytes32 terms = deals.termsHash(deal);
        vm.expectEmit(true, true, true, true, diamond);
        emit IDealFacet.DealConflict(ID, held, terms);
        open(deal);
        assertEq(wordOf(ID), held);
    }

    function test_cancelled_id_is_skipped_silently() public {
        Deal memory deal = tokenDeal();
        open(deal);
        cancel(ID);
        bytes32 held = wordOf(ID);
        vm.recordLogs();
        open(deal);
        deal.amount = 1;
        open(deal);
        assertEq(vm.getRecordedLogs().length, 0);
        assertEq(wordOf(ID), held);
    }

    function test_tombstone_is_skipped_silently() public {
        cancel(ID);
        vm.recordLogs();
        open(tokenDeal());
        assertEq(vm.getRecordedLogs().length, 0);
        assertEq(wordOf(ID), bytes32(uint256(3)));
    }

    function test_one_item_never_spoils_the_others() public {
        Deal memory deal = tokenDeal();
        open(deal);
        cancel(ID + 1);
        DealKey[] memory keys = new DealKey[](5);
        keys[0] = DealKey(ID, keccak256("other terms"));
        keys[1] = DealKey(ID + 1, keccak256("cancelled"));
        keys[2] = DealKey(ID + 2, keccak256("new"));
        keys[3] = DealKey(ID + 2, keccak256("the same id in one batch"));
        keys[4] = DealKey(ID + 3, keccak256("also new"));
        vm.prank(operator);
        deals.createDeals(keys);
        assertEq(wordOf(ID), word(deals.termsHash(deal), 1));
        assertEq(wordOf(ID + 1), bytes32(uint256(3)));
        assertEq(wordOf(ID + 2), word(keccak256("new"), 1));
        assertEq(wordOf(ID + 3), word(keccak256("also new"), 1));
    }

    function test_empty_batch_is_fine() public {
        vm.prank(operator);
        deals.createDeals(new DealKey[](0));
    }

    function test_deals_of_one_diamond_are_unknown_to_another() public {
        Deal memory deal = tokenDeal();
        open(deal);
        bytes32 here = deals.termsHash(deal);
        useDiamond(registry.createDiamond(NODE, bytes16(uint128(0x33))));
        assertEq(wordOf(ID), 0);
        assertTrue(deals.termsHash(deal) != here);
    }

    function test_works_at_the_facet_for_nobody() public {
        DealKey[] memory keys = keysOf(tokenDeal());
        vm.expectRevert();
        vm.prank(operator);
        IDealFacet(dealFacet).createDeals(keys);
    }

    /// @dev The word keeps 248 bits of any hash, and reading many is reading each.
    function testFuzz_word_keeps_the_terms(uint256 dealId, bytes32 terms) public {
        vm.prank(operator);
        deals.createDeals(one(DealKey(dealId, terms)));
        assertEq(wordOf(dealId), word(terms, 1));
        uint256[] memory ids = new uint256[](2);
        (ids[0], ids[1]) = (dealId, dealId ^ 1);
        bytes32[] memory words = deals.dealWords(ids);
        assertEq(words[0], word(terms, 1));
        assertEq(words[1], 0);
    }

    function testFuzz_first_terms_stay(uint256 dealId, bytes32 first, bytes32 second) public {
        vm.startPrank(operator);
        deals.createDeals(one(DealKey(dealId, first)));
        deals.createDeals(one(DealKey(dealId, second)));
        assertEq(wordOf(dealId), word(first, 1));
    }
}
