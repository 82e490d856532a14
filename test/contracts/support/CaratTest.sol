// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Test} from "forge-std/Test.sol";
import {Batcher} from "../../../contracts/Batcher.sol";
import {Registry} from "../../../contracts/Registry.sol";
import {DealFacet} from "../../../contracts/facets/DealFacet.sol";
import {DiamondCutFacet} from "../../../contracts/facets/DiamondCutFacet.sol";
import {DiamondLoupeFacet} from "../../../contracts/facets/DiamondLoupeFacet.sol";
import {OfferFacet} from "../../../contracts/facets/OfferFacet.sol";
import {CancelBatch, Deal, DealKey, DiamondBatch} from "../../../contracts/interfaces/DealTypes.sol";
import {IDealFacet} from "../../../contracts/interfaces/IDealFacet.sol";
import {IDiamondCut} from "../../../contracts/interfaces/IDiamondCut.sol";
import {IDiamondLoupe} from "../../../contracts/interfaces/IDiamondLoupe.sol";
import {IOfferFacet} from "../../../contracts/interfaces/IOfferFacet.sol";
import {IRegistry} from "../../../contracts/interfaces/IRegistry.sol";
import {LibFacet} from "../../../contracts/libraries/LibFacet.sol";
import {Roles} from "../../../contracts/libraries/Roles.sol";
import {TestToken} from "../../../contracts/mocks/TestToken.sol";

/// @notice A network that is ready for payments: registry with roles and release, batcher, one diamond, one token.
abstract contract CaratTest is Test {
    uint256 internal constant APPROVAL_DELAY = 2 days;
    bytes16 internal constant NODE = bytes16(uint128(0x11));
    bytes16 internal constant WALLET = bytes16(uint128(0x22));
    bytes32 internal constant SALT = 0;
    uint256 internal constant ID = 4_503_599_627_370_497;

    address internal root = makeAddr("root");
    address internal operator = makeAddr("operator");
    address internal upgrader = makeAddr("upgrader");
    address internal guardian = makeAddr("guardian");
    address internal payee = makeAddr("payee");
    address internal stranger = makeAddr("stranger");
    address internal buyer;
    uint256 internal buyerKey;
    address internal signer;
    uint256 internal signerKey;

    Registry internal registry;
    Batcher internal batcher;
    address internal cutFacet;
    address internal loupeFacet;
    address internal dealFacet;
    address internal offerFacet;
    address internal diamond;
    IDealFacet internal deals;
    IOfferFacet internal offers;
    IDiamondCut internal cutter;
    IDiamondLoupe internal loupe;
    TestToken internal token;

    function setUp() public virtual {
        vm.warp(1_800_000_000);
        (buyer, buyerKey) = makeAddrAndKey("buyer");
        (signer, signerKey) = makeAddrAndKey("signer");
        registry = new Registry(root, APPROVAL_DELAY, bytes32("carat"));
        batcher = new Batcher(address(registry));
        cutFacet = shared(address(new DiamondCutFacet()));
        loupeFacet = shared(address(new DiamondLoupeFacet()));
        dealFacet = shared(address(new DealFacet()));
        offerFacet = shared(address(new OfferFacet()));
        vm.startPrank(root);
        registry.approveFacets(approvalsOf(releaseFacets()));
        registry.setRelease("1.3.0", releaseFacets());
        registry.setRole(Roles.OPERATOR, operator, true);
        registry.setRole(Roles.OPERATOR, address(batcher), true);
        registry.setRole(Roles.UPGRADER, upgrader, true);
        registry.setRole(Roles.GUARDIAN, guardian, true);
        registry.setRole(Roles.SIGNER, signer, true);
        vm.stopPrank();
        useDiamond(registry.createDiamond(NODE, WALLET));
        token = new TestToken("Test USD", "TUSD", 6);
        token.mint(buyer, 1e30);
        vm.deal(buyer, 1e30);
        vm.prank(buyer);
        token.approve(diamond, type(uint256).max);
    }

    function useDiamond(address which) internal {
        diamond = which;
        deals = IDealFacet(which);
        offers = IOfferFacet(which);
        cutter = IDiamondCut(which);
        loupe = IDiamondLoupe(which);
    }

    function releaseFacets() internal view returns (address[] memory list) {
        list = new address[](4);
        (list[0], list[1], list[2], list[3]) = (cutFacet, loupeFacet, dealFacet, offerFacet);
    }

    /// @dev The code of a contract where it can be approved: at the address that follows from it.
    function shared(address made) internal returns (address) {
        return sharedAt(made, SALT);
    }

    function sharedAt(address made, bytes32 salt) internal returns (address facet) {
        facet = LibFacet.addressOf(made.code, salt);
        if (facet.code.length != 0) return facet;
        (bool ok,) = LibFacet.DEPLOYER.call(abi.encodePacked(salt, LibFacet.creationCode(made.code)));
        assertTrue(ok && facet.codehash == made.codehash);
    }

    function approvalsOf(address[] memory facets) internal view returns (IRegistry.FacetApproval[] memory list) {
        list = new IRegistry.FacetApproval[](facets.length);
        for (uint256 i; i < facets.length; ++i) {
            list[i] = IRegistry.FacetApproval(facets[i], facets[i].codehash, SALT);
        }
    }

    function approvalOf(address facet) internal view returns (IRegistry.FacetApproval[] memory list) {
        return approvalOf(facet, facet.codehash, SALT);
    }

    function approvalOf(address facet, bytes32 codeHash, bytes32 salt)
        internal
        pure
        returns (IRegistry.FacetApproval[] memory list)
    {
        list = new IRegistry.FacetApproval[](1);
        list[0] = IRegistry.FacetApproval(facet, codeHash, salt);
    }

    /// @dev Approves after the first release, so the delay is waited for.
    function approve(address facet) internal {
        approve(facet, SALT);
    }

    function approve(address facet, bytes32 salt) internal {
        vm.prank(root);
        registry.approveFacets(approvalOf(facet, facet.codehash, salt));
        skip(APPROVAL_DELAY);
    }

    function tokenDeal() internal view returns (Deal memory) {
        return tokenDeal(address(token));
    }

    function tokenDeal(address token_) internal view returns (Deal memory) {
        return Deal(ID, token_, payee, address(0), 12_500_000, block.timestamp + 1 hours);
    }

    function nativeDeal() internal view returns (Deal memory) {
        return Deal(ID, address(0), payee, address(0), 1 ether, block.timestamp + 1 hours);
    }

    /// @dev An owner's permit for the diamond in use (EIP-2612).
    struct Permit {
        uint256 deadline;
        uint8 v;
        bytes32 r;
        bytes32 s;
    }

    function permitOf(uint256 amount) internal view returns (Permit memory) {
        return permitOf(buyer, buyerKey, amount);
    }

    function permitOf(address owner, uint256 key, uint256 amount) internal view returns (Permit memory permit) {
        permit.deadline = block.timestamp + 10 minutes;
        bytes32 structHash = keccak256(
            abi.encode(
                keccak256("Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)"),
                owner,
                diamond,
                amount,
                token.nonces(owner),
                permit.deadline
            )
        );
        bytes32 digest = keccak256(abi.encodePacked(hex"1901", token.DOMAIN_SEPARATOR(), structHash));
        (permit.v, permit.r, permit.s) = vm.sign(key, digest);
    }

    /// @dev What a signer of the network offers.
    struct Offer {
        Deal deal;
        uint256 validUntil;
        bytes32 r;
        bytes32 vs;
    }

    function offerOf(Deal memory deal) internal view returns (Offer memory) {
        return offerOf(deal, signerKey, block.timestamp + 15 minutes);
    }

    function offerOf(Deal memory deal, uint256 key, uint256 validUntil) internal view returns (Offer memory) {
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(key, offerHash(deal, validUntil));
        return Offer(deal, validUntil, r, compact(v, s));
    }

    /// @dev The digest of an offer on the diamond in use, computed from the types as a wallet does.
    function offerHash(Deal memory deal, uint256 validUntil) internal view returns (bytes32) {
        bytes memory dealType =
            "Deal(uint256 dealId,address token,address payee,address payer,uint256 amount,uint256 expiresAt)";
        bytes memory domainType = "EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)";
        bytes32 domain =
            keccak256(abi.encode(keccak256(domainType), keccak256("Carat"), keccak256("1"), block.chainid, diamond));
        bytes32 offerType = keccak256(bytes.concat("Offer(Deal deal,uint256 validUntil)", dealType));
        bytes32 message = keccak256(abi.encode(offerType, keccak256(abi.encode(keccak256(dealType), deal)), validUntil));
        return keccak256(bytes.concat(hex"1901", domain, message));
    }

    /// @dev The second half of a signature of EIP-2098.
    function compact(uint8 v, bytes32 s) internal pure returns (bytes32) {
        return bytes32(uint256(s) | uint256(v - 27) << 255);
    }

    function keyOf(Deal memory deal) internal view returns (DealKey memory) {
        return DealKey(deal.dealId, deals.termsHash(deal));
    }

    function keysOf(Deal memory deal) internal view returns (DealKey[] memory) {
        return one(keyOf(deal));
    }

    function one(DealKey memory key) internal pure returns (DealKey[] memory list) {
        list = new DealKey[](1);
        list[0] = key;
    }

    function one(uint256 dealId) internal pure returns (uint256[] memory list) {
        list = new uint256[](1);
        list[0] = dealId;
    }

    function one(address which, DealKey[] memory keys) internal pure returns (DiamondBatch[] memory list) {
        list = new DiamondBatch[](1);
        list[0] = DiamondBatch(which, gasFor(keys.length), keys);
    }

    function oneCancel(address which, uint256[] memory dealIds) internal pure returns (CancelBatch[] memory list) {
        list = new CancelBatch[](1);
        list[0] = CancelBatch(which, gasFor(dealIds.length), dealIds);
    }

    /// @dev About twice what a part with so many deals needs.
    function gasFor(uint256 count) internal pure returns (uint256) {
        return 150_000 + count * 60_000;
    }

    function idsOf(DealKey[] memory keys) internal pure returns (uint256[] memory ids) {
        ids = new uint256[](keys.length);
        for (uint256 i; i < keys.length; ++i) {
            ids[i] = keys[i].dealId;
        }
    }

    /// @dev The word of one deal of the diamond in use.
    function wordOf(uint256 dealId) internal view returns (bytes32) {
        return wordOf(diamond, dealId);
    }

    function wordOf(address which, uint256 dealId) internal view returns (bytes32) {
        return IDealFacet(which).dealWords(one(dealId))[0];
    }

    function someKeys(uint256 first, uint256 count) internal pure returns (DealKey[] memory list) {
        list = new DealKey[](count);
        for (uint256 i; i < count; ++i) {
            list[i] = DealKey(first + i, keccak256(abi.encode("terms", first + i)));
        }
    }

    function open(Deal memory deal) internal {
        DealKey[] memory keys = keysOf(deal);
        vm.prank(operator);
        deals.createDeals(keys);
    }

    function cancel(uint256 dealId) internal {
        vm.prank(operator);
        deals.cancelDeals(one(dealId));
    }

    function pause() internal {
        vm.prank(guardian);
        registry.setPaused(true);
    }

    function word(bytes32 termsHash, uint256 status) internal pure returns (bytes32) {
        return bytes32((uint256(termsHash) & ~uint256(0xff)) | status);
    }

    function cutOf(address facet, IDiamondCut.FacetCutAction action, bytes4[] memory selectors)
        internal
        pure
        returns (IDiamondCut.FacetCut[] memory list)
    {
        list = new IDiamondCut.FacetCut[](1);
        list[0] = IDiamondCut.FacetCut(facet, action, selectors);
    }

    function cutOf(address facet, IDiamondCut.FacetCutAction action, bytes4 selector)
        internal
        pure
        returns (IDiamondCut.FacetCut[] memory)
    {
        bytes4[] memory selectors = new bytes4[](1);
        selectors[0] = selector;
        return cutOf(facet, action, selectors);
    }
}
