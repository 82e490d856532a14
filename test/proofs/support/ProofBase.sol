// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Registry} from "../../../contracts/Registry.sol";
import {Deal} from "../../../contracts/interfaces/DealTypes.sol";
import {IDealFacet} from "../../../contracts/interfaces/IDealFacet.sol";
import {IDiamondCut} from "../../../contracts/interfaces/IDiamondCut.sol";
import {IDiamondLoupe} from "../../../contracts/interfaces/IDiamondLoupe.sol";
import {IFacet} from "../../../contracts/interfaces/IFacet.sol";
import {IOfferFacet} from "../../../contracts/interfaces/IOfferFacet.sol";
import {IRegistry} from "../../../contracts/interfaces/IRegistry.sol";
import {LibDeals} from "../../../contracts/libraries/LibDeals.sol";
import {LibDiamond} from "../../../contracts/libraries/LibDiamond.sol";
import {LibFacet} from "../../../contracts/libraries/LibFacet.sol";
import {Roles} from "../../../contracts/libraries/Roles.sol";
import {Cheats, SymbolicCheats} from "./Cheats.sol";
import {NextFacet} from "./NextFacet.sol";

/// @notice A network as it is in use: the real registry with roles and release, and the real diamond that it makes.
/// @dev Halmos runs `setUp` once with plain values; every argument of a `check_` function stands for all its values.
abstract contract ProofBase {
    Cheats internal constant vm = Cheats(0x7109709ECfa91a80626fF3989D68f67F5b1DD12D);
    SymbolicCheats internal constant svm = SymbolicCheats(0xF3993A62377BCd56AE39D773740A5390411E8BC9);

    uint256 internal constant APPROVAL_DELAY = 2 days;
    uint256 internal constant NOW = 1_800_000_000;
    bytes16 internal constant NODE = bytes16(uint128(0x11));
    bytes16 internal constant WALLET = bytes16(uint128(0x22));

    bytes32 internal constant SALT = "proofs";
    /// @dev The deterministic deployer, as it stands on every network.
    bytes internal constant DEPLOYER_CODE =
        hex"7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe03601600081602082378035828234f58015156039578182fd5b8082525050506014600cf3";

    address internal constant ROOT = address(0x1001);
    address internal constant OPERATOR = address(0x1002);
    address internal constant UPGRADER = address(0x1003);
    address internal constant GUARDIAN = address(0x1004);
    address internal constant SIGNER = address(0x1005);

    Registry internal registry;
    address internal cutFacet;
    address internal loupeFacet;
    address internal dealFacet;
    address internal offerFacet;
    address internal nextFacet;
    address internal diamond;

    function setUp() public virtual {
        vm.warp(NOW);
        registry = Registry(deploy("Registry.sol:Registry", abi.encode(ROOT, APPROVAL_DELAY, bytes32("carat"))));
        cutFacet = shared(deploy("DiamondCutFacet.sol:DiamondCutFacet", ""));
        loupeFacet = shared(deploy("DiamondLoupeFacet.sol:DiamondLoupeFacet", ""));
        dealFacet = shared(deploy("DealFacet.sol:DealFacet", ""));
        offerFacet = shared(deploy("OfferFacet.sol:OfferFacet", ""));
        nextFacet = shared(address(new NextFacet()));
        address[] memory facets = new address[](4);
        (facets[0], facets[1], facets[2], facets[3]) = (cutFacet, loupeFacet, dealFacet, offerFacet);
        vm.startPrank(ROOT);
        for (uint256 i; i < facets.length; ++i) {
            approve(facets[i]);
        }
        registry.setRelease("1.0.0", facets);
        registry.setRole(Roles.OPERATOR, OPERATOR, true);
        registry.setRole(Roles.UPGRADER, UPGRADER, true);
        registry.setRole(Roles.GUARDIAN, GUARDIAN, true);
        registry.setRole(Roles.SIGNER, SIGNER, true);
        vm.stopPrank();
        vm.prank(OPERATOR);
        diamond = registry.createDiamond(NODE, WALLET);
    }

    /// @dev Deploys what the compiler made of a contract. The proofs do not hold its code themselves, so that a mutant of it
    ///      needs no new compilation of them.
    function deploy(string memory artifact, bytes memory arguments) internal returns (address made) {
        bytes memory code = abi.encodePacked(vm.getCode(artifact), arguments);
        assembly ("memory-safe") {
            made := create(0, add(code, 0x20), mload(code))
        }
        assert(made != address(0));
    }

    /// @dev The same code where it can be approved: at the address that follows from it. The deployer is there for this only,
    ///      because as a token or payee it would run code that is made of symbols.
    function shared(address made) internal returns (address) {
        vm.etch(LibFacet.DEPLOYER, DEPLOYER_CODE);
        (bool ok,) = LibFacet.DEPLOYER.call(abi.encodePacked(SALT, LibFacet.creationCode(made.code)));
        assert(ok);
        vm.etch(LibFacet.DEPLOYER, "");
        return LibFacet.addressOf(made.code, SALT);
    }

    /// @dev Root has to be the caller.
    function approve(address facet) internal {
        registry.approveFacets(approvalOf(facet, facet.codehash));
    }

    function approvalOf(address facet, bytes32 codeHash) internal pure returns (IRegistry.FacetApproval[] memory list) {
        list = new IRegistry.FacetApproval[](1);
        list[0] = IRegistry.FacetApproval(facet, codeHash, SALT);
    }

    function hasRole(bytes32 role, address account) internal view returns (bool enabled) {
        (enabled,) = registry.roleState(role, account);
    }

    /// @dev The word of a deal, read past the diamond's functions, so that none of them can hide what it is.
    function wordOf(uint256 dealId) internal view returns (bytes32) {
        return vm.load(diamond, keccak256(abi.encode(dealId, LibDeals.SLOT)));
    }

    function setWord(uint256 dealId, bytes32 word) internal {
        vm.store(diamond, keccak256(abi.encode(dealId, LibDeals.SLOT)), word);
    }

    function statusOf(bytes32 word) internal pure returns (uint256) {
        return uint256(word) & 0xff;
    }

    function withStatus(bytes32 terms, uint256 status) internal pure returns (bytes32) {
        return bytes32((uint256(terms) & ~uint256(0xff)) | status);
    }

    /// @dev The entry of the selector table: who serves this function, and its place in the list.
    function entryOf(bytes4 selector) internal view returns (bytes32) {
        return vm.load(diamond, keccak256(abi.encode(selector, uint256(LibDiamond.SLOT) + 1)));
    }

    function facetOf(bytes4 selector) internal view returns (address) {
        return address(uint160(uint256(entryOf(selector))));
    }

    /// @dev The first word of the table: the registry, and the end of the list of selectors.
    function tableHead() internal view returns (bytes32) {
        return vm.load(diamond, LibDiamond.SLOT);
    }

    /// @dev Any call of any function of the deal facet, or of none, by anybody, with any arguments and coins.
    function callDeals(address caller, uint256 value) internal returns (bool ok, bytes memory data) {
        data = svm.createCalldata("IDealFacet", false);
        // Cuts and offers have proofs of their own, and the loupe only reads.
        address serves = facetOf(bytes4(data));
        vm.assume(serves == dealFacet || serves == address(0));
        vm.deal(caller, value);
        vm.prank(caller);
        (ok,) = diamond.call{value: value}(data);
    }

    /// @dev Any cut of one part with one selector, with any coins, by `diamondCut` or by `diamondCutChecked`.
    function cut(address caller, uint256 value, bool checked, address facet, uint8 action, bytes4 selector)
        internal
        returns (bool ok)
    {
        vm.assume(action < 3);
        if (action == uint8(IDiamondCut.FacetCutAction.Remove)) selector = caseOf(selector);
        IDiamondCut.FacetCut[] memory list = oneCut(facet, action, selector);
        bytes memory data = checked
            ? abi.encodeCall(IDiamondCut.diamondCutChecked, (list, address(0), "", loupeHash()))
            : abi.encodeCall(IDiamondCut.diamondCut, (list, address(0), ""));
        vm.deal(caller, value);
        vm.prank(caller);
        (ok,) = diamond.call{value: value}(data);
    }

    /// @dev The same selector, as a case of its own for each that a facet exports. Others are left out.
    function caseOf(bytes4 selector) internal returns (bytes4) {
        address[5] memory facets = [cutFacet, loupeFacet, dealFacet, offerFacet, nextFacet];
        for (uint256 i; i < facets.length; ++i) {
            bytes4[] memory exported = IFacet(facets[i]).exportSelectors();
            for (uint256 j; j < exported.length; ++j) {
                if (selector == exported[j]) return exported[j];
            }
        }
        vm.assume(false);
        return selector;
    }

    function oneCut(address facet, uint8 action, bytes4 selector)
        internal
        pure
        returns (IDiamondCut.FacetCut[] memory list)
    {
        bytes4[] memory selectors = new bytes4[](1);
        selectors[0] = selector;
        list = new IDiamondCut.FacetCut[](1);
        list[0] = IDiamondCut.FacetCut(facet, IDiamondCut.FacetCutAction(action), selectors);
    }

    function loupeHash() internal view returns (bytes32) {
        return keccak256(abi.encode(IDiamondLoupe(diamond).facets()));
    }

    function pauseIf(bool paused) internal {
        if (!paused) return;
        vm.prank(ROOT);
        registry.setPaused(true);
    }

    /// @dev One of the three ways to pay; the permit is any signature.
    function pay(Deal memory deal, address caller, uint256 value, uint8 way) internal returns (bool ok) {
        vm.assume(way < 3);
        bytes memory data = way == 0
            ? abi.encodeCall(IDealFacet.payToken, (deal))
            : way == 1
                ? abi.encodeCall(IDealFacet.payNative, (deal))
                : abi.encodeCall(
                    IDealFacet.payTokenWithPermit,
                    (deal, svm.createUint256("deadline"), 27, bytes32(svm.createUint256("r")), bytes32(0))
                );
        vm.deal(caller, value);
        vm.prank(caller);
        (ok,) = diamond.call{value: value}(data);
    }

    /// @dev An offer with any window and any signature.
    struct Offer {
        Deal deal;
        uint256 validUntil;
        bytes32 r;
        bytes32 vs;
    }

    /// @dev One of the three ways to pay an offer; the permit is any signature.
    function payOffered(Offer memory offer, address caller, uint256 value, uint8 way) internal returns (bool ok) {
        vm.assume(way < 3);
        bytes memory data = way == 0
            ? abi.encodeCall(IOfferFacet.payOfferedToken, (offer.deal, offer.validUntil, offer.r, offer.vs))
            : way == 1
                ? abi.encodeCall(IOfferFacet.payOfferedNative, (offer.deal, offer.validUntil, offer.r, offer.vs))
                : permitCall(offer);
        vm.deal(caller, value);
        vm.prank(caller);
        (ok,) = diamond.call{value: value}(data);
    }

    function permitCall(Offer memory offer) internal returns (bytes memory) {
        (uint256 deadline, bytes32 r) = (svm.createUint256("deadline"), bytes32(svm.createUint256("r")));
        return abi.encodeCall(
            IOfferFacet.payOfferedTokenWithPermit,
            (offer.deal, offer.validUntil, offer.r, offer.vs, deadline, 27, r, bytes32(0))
        );
    }

    /// @dev What holds of every successful payment at this time, by a created deal or by an offer.
    function assertPayable(Deal memory deal, address caller, uint256 value, uint64 time, bool paused, uint8 way)
        internal
        view
    {
        assert(wordOf(deal.dealId) == withStatus(IDealFacet(diamond).termsHash(deal), LibDeals.PAID));
        assert(time < deal.expiresAt);
        assert(!paused);
        assert(deal.payer == address(0) || deal.payer == caller);
        assert(deal.payee != address(0) && deal.payee != diamond);
        assert(deal.amount != 0);
        assert((deal.token == address(0)) == (way == 1));
        assert(way != 1 || value == deal.amount);
    }

    /// @dev The coins around a payment; `other` is any third account.
    struct Coins {
        address other;
        uint96 had;
        uint96 held;
    }

    /// @dev Gives payee and third account their coins. @return kept Those of the diamond.
    function setCoins(Deal memory deal, address caller, Coins memory coins) internal returns (uint256 kept) {
        vm.assume(caller != deal.payee && coins.other != caller && coins.other != deal.payee);
        vm.assume(caller != diamond && caller != address(this));
        vm.deal(coins.other, coins.held);
        vm.deal(deal.payee, coins.had);
        return diamond.balance;
    }

    /// @dev The caller has paid exactly the amount, the payee has it, and no other coins have moved.
    function assertExact(Deal memory deal, address caller, uint256 value, Coins memory coins, uint256 kept)
        internal
        view
    {
        assert(deal.payee.balance == uint256(coins.had) + deal.amount);
        assert(value == deal.amount && caller.balance == 0);
        assert(diamond.balance == kept);
        assert(coins.other == diamond || coins.other.balance == coins.held);
    }

    function isPayment(bytes4 selector) internal pure returns (bool) {
        return selector == IDealFacet.payToken.selector || selector == IDealFacet.payNative.selector
            || selector == IDealFacet.payTokenWithPermit.selector;
    }
}
