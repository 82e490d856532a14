// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IDiamondLoupe} from "../../contracts/interfaces/IDiamondLoupe.sol";
import {IRegistry} from "../../contracts/interfaces/IRegistry.sol";
import {CaratTest} from "./support/CaratTest.sol";
import {DealHandler} from "./support/DealHandler.sol";
import {ListFacet} from "./support/ListFacet.sol";
import {RegistryHandler} from "./support/RegistryHandler.sol";

/// @notice What holds after any sequence of calls of anybody, while roles, approvals and the diamond's own functions come
///         and go. The handlers check each step besides: no call moves the diamond's balance or anybody's funds but the
///         payer's own, a word goes along legal edges only, and what works is what the roles and approvals allow.
contract InvariantsTest is CaratTest {
    DealHandler internal handler;
    RegistryHandler internal keys;
    address internal second;
    uint256 internal secondKey;

    function setUp() public override {
        super.setUp();
        (second, secondKey) = makeAddrAndKey("second signer");
        keys = new RegistryHandler(registry, diamond, people(), candidates());
        handler = new DealHandler(
            registry, batcher, diamond, token, operator, guardian, [signer, second], [signerKey, secondKey]
        );
        bytes4[] memory selectors = new bytes4[](15);
        // Payments and creations more often, so that all runs have some.
        for (uint256 i; i < 3; ++i) {
            selectors[i] = handler.create.selector;
            selectors[3 + i] = handler.pay.selector;
        }
        selectors[6] = handler.pay.selector;
        selectors[7] = handler.cancel.selector;
        selectors[8] = handler.intrude.selector;
        selectors[9] = handler.donate.selector;
        selectors[10] = handler.sweep.selector;
        selectors[11] = handler.wait.selector;
        for (uint256 i = 12; i < 15; ++i) {
            selectors[i] = handler.payOffered.selector;
        }
        target(address(handler), selectors);
        selectors = new bytes4[](11);
        selectors[0] = keys.setRole.selector;
        selectors[1] = keys.setPaused.selector;
        selectors[2] = keys.moveRoot.selector;
        selectors[3] = keys.propose.selector;
        selectors[4] = keys.revoke.selector;
        selectors[5] = keys.setRelease.selector;
        selectors[6] = keys.createDiamond.selector;
        selectors[7] = keys.cut.selector;
        selectors[8] = keys.swap.selector;
        selectors[9] = keys.changeCode.selector;
        selectors[10] = keys.steal.selector;
        target(address(keys), selectors);
    }

    function target(address which, bytes4[] memory selectors) internal {
        targetContract(which);
        targetSelector(FuzzSelector({addr: which, selectors: selectors}));
    }

    function people() internal view returns (address[] memory list) {
        list = new address[](7);
        (list[0], list[1], list[2]) = (operator, address(batcher), upgrader);
        (list[3], list[4], list[5], list[6]) = (guardian, stranger, signer, second);
    }

    /// @dev Three of the release, another deal facet, the release's facet of offers, and three lists that overlap. The other
    ///      deal facet and the first list are approved soon, the last list is never proposed.
    function candidates() internal returns (IRegistry.FacetApproval[] memory list) {
        address[] memory facets = new address[](8);
        (facets[0], facets[1], facets[2]) = (cutFacet, loupeFacet, dealFacet);
        facets[3] = sharedAt(dealFacet, bytes32("other"));
        facets[4] = offerFacet;
        facets[5] = shared(address(new ListFacet(0, 8, 1)));
        facets[6] = shared(address(new ListFacet(4, 8, 2)));
        facets[7] = shared(address(new ListFacet(0, 12, 3)));
        list = approvalsOf(facets);
        list[3].salt = bytes32("other");
        approve(facets[3], list[3].salt);
        approve(facets[5], list[5].salt);
    }

    function invariant_diamond_holds_what_strangers_sent_and_nothing_else() public view {
        (uint256 tokens, uint256 coins) = handler.donations();
        assertEq(token.balanceOf(diamond), tokens);
        assertEq(diamond.balance, coins);
    }

    /// @dev At the end of every run; the handlers have checked the same step by step, as differences.
    function afterInvariant() public view {
        payeesHaveExactlyWhatWasPaid();
        oneDealPerIdPaidAtMostOnce();
        keys.requireSame();
        diamondsAreAsTheyWereBorn();
    }

    function diamondsAreAsTheyWereBorn() internal view {
        for (uint256 i; i < keys.createdCount(); ++i) {
            address which = keys.created(i);
            IDiamondLoupe.Facet[] memory list = IDiamondLoupe(which).facets();
            assertEq(keccak256(abi.encode(list)), keys.bornWith(which));
            assertEq(which.code, diamond.code);
            for (uint256 j; j < list.length; ++j) {
                assertTrue(keys.cutTo(list[j].facetAddress));
            }
        }
    }

    function payeesHaveExactlyWhatWasPaid() internal view {
        for (uint256 i; i < 3; ++i) {
            address who = handler.payees(i);
            assertEq(token.balanceOf(who), handler.owed(who, address(token)));
            assertEq(who.balance, handler.owed(who, address(0)));
        }
    }

    function oneDealPerIdPaidAtMostOnce() internal view {
        for (uint256 id = 1; id <= handler.idCount(); ++id) {
            bytes32 held = handler.wordOf(id);
            bytes32 terms = handler.firstTerms(id);
            uint256 status = uint256(held) & 0xff;
            assertLe(status, 3);
            assertEq(handler.payments(id), status == 2 ? 1 : 0);
            if (terms == 0) assertTrue(held == 0 || held == bytes32(uint256(3)));
            else assertEq(uint256(held) >> 8, uint256(terms) >> 8);
        }
    }

    /// @dev Shows that the handlers can reach what the invariants speak of; without it they could be true of nothing.
    function test_handlers_reach_every_state() public {
        handler.create(0, 0, false);
        handler.create(0, 1, true);
        handler.pay(0, 0, 0, 0);
        handler.create(1, 1, true);
        handler.pay(1, 1, 1, 0);
        handler.pay(1, 1, 1, 1);
        handler.create(2, 2, false);
        handler.pay(2, 2, 2, 2);
        handler.create(3, 0, false);
        handler.cancel(3, true);
        handler.pay(3, 0, 0, 0);
        handler.cancel(4, false);
        handler.create(4, 0, true);
        handler.intrude(0, 0);
        handler.payOffered(6, 0, 0, 0, 0);
        handler.payOffered(7, 1, 1, 1, 0);
        handler.payOffered(10, 1, 1, 1, 1);
        handler.payOffered(8, 2, 2, 2, 0);
        handler.create(9, 0, false);
        handler.payOffered(9, 0, 0, 0, 0);
        handler.payOffered(9, 0, 0, 0, 0);
        handler.payOffered(3, 0, 0, 0, 0);
        handler.donate(5);
        handler.sweep(false);
        handler.sweep(true);
        keys.setPaused(0, true);
        handler.create(5, 0, false);
        handler.create(5, 0, true);
        assertEq(handler.done("create"), 5);
        assertEq(handler.done("offer"), 3);
        assertEq(handler.done("offer of a created deal"), 1);
        assertEq(handler.done("pay"), 3);
        assertEq(handler.done("cancel"), 2);
        assertEq(handler.done("sweep"), 2);
        assertEq(uint8(uint256(wordOf(1))), 2);
        assertEq(uint8(uint256(wordOf(4))), 3);
        assertEq(wordOf(5), bytes32(uint256(3)));
        assertEq(uint8(uint256(wordOf(7))), 2);
        assertEq(wordOf(11), 0);
        useEveryKey();
    }

    function useEveryKey() internal {
        bytes32[10] memory steps = [
            bytes32("setRole"),
            "setPaused",
            "moveRoot",
            "propose",
            "revoke",
            "setRelease",
            "createDiamond",
            "cut",
            "changeCode",
            "none"
        ];
        for (uint256 i; i < 400; ++i) {
            uint256 seed = uint256(keccak256(abi.encode(i)));
            keys.setRole(seed, i % 2 == 0);
            keys.setPaused(seed, true);
            keys.propose(seed);
            keys.revoke(seed);
            keys.createDiamond(seed);
            keys.setRelease(seed);
            keys.cut(seed, seed >> 128);
            keys.swap(seed, seed >> 128);
            keys.changeCode(seed);
            if (i % 16 == 0) keys.moveRoot();
            keys.steal(seed);
        }
        for (uint256 i; i + 1 < steps.length; ++i) {
            assertGt(keys.done(steps[i]), 3);
        }
        assertGt(keys.createdCount(), 1);
        keys.requireSame();
        diamondsAreAsTheyWereBorn();
    }
}
